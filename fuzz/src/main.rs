//! One target under libFuzzer: the one that the variable `CEPA_FUZZ_TARGET` names.

#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("CEPA_FUZZ_TARGET").expect("`CEPA_FUZZ_TARGET` names a target");
    cepa_fuzz::target(&name).expect("`CEPA_FUZZ_TARGET` names a target that there is")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| TARGET(bytes));
