//! Looks through the guest's whole memory.

/// How often a text is there, whose bytes are given with their bits turned.
pub fn count(turned: &[u8]) -> usize {
    let end = size().saturating_sub(turned.len());
    // From 1: nothing can stand at the address 0, which no pointer may have.
    (1..end).filter(|at| turned.iter().enumerate().all(|(offset, byte)| !read(at + offset) == *byte)).count()
}

fn read(at: usize) -> u8 {
    // Within the memory, whose bytes are all there; nothing else runs meanwhile.
    unsafe { std::ptr::read_volatile(std::ptr::without_provenance(at)) }
}

#[cfg(target_family = "wasm")]
fn size() -> usize {
    core::arch::wasm32::memory_size(0) * 65_536
}

#[cfg(not(target_family = "wasm"))]
fn size() -> usize {
    0
}
