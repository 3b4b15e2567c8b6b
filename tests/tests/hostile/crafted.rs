//! Components that no Rust compiler makes: of several memories, and with tables that grow.

use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, ExportKind, ExportSection, Function, FunctionSection, GlobalSection,
    GlobalType, HeapType, InstructionSink, MemorySection, MemoryType, Module, RefType, TableSection,
    TableType, TypeSection, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// The pages that a memory takes more at once.
const PAGES: i32 = 16;
/// The elements that a table takes more at once.
const ELEMENTS: i32 = 1_000;

/// A component that takes pages for each of its memories in turn, until there are no more, and then gives up.
pub(crate) fn grows_memories(count: u32) -> Vec<u8> {
    component(count, 1, |body| {
        body.loop_(BlockType::Empty);
        for memory in 0..count {
            body.i32_const(PAGES).memory_grow(memory).i32_const(-1).i32_eq();
            body.if_(BlockType::Empty).unreachable().end();
        }
        body.br(0).end().unreachable();
    })
}

/// A component whose table grows until there are no more elements, and then gives up.
pub(crate) fn grows_a_table() -> Vec<u8> {
    component(1, 1, |body| {
        body.loop_(BlockType::Empty);
        body.ref_null(HeapType::FUNC).i32_const(ELEMENTS).table_grow(0).i32_const(-1).i32_eq();
        body.if_(BlockType::Empty).unreachable().end();
        body.br(0).end().unreachable();
    })
}

/// A component whose memory has this many pages from the start.
pub(crate) fn begins_with_memory(pages: u64) -> Vec<u8> {
    component(1, pages, |body| {
        body.unreachable();
    })
}

/// A component with the hook `on-system-prompt`, and this as its body.
fn component(memories: u32, pages: u64, body: impl FnOnce(&mut InstructionSink<'_>)) -> Vec<u8> {
    let mut resolve = Resolve::default();
    resolve.push_dir("../wit").expect("the contract");
    let world = "package test:crafted; world crafted { export cepa:middleware/on-system-prompt@0.1.0; }";
    let package = resolve.push_str("crafted.wit", world).expect("a world");
    let world = resolve.select_world(&[package], Some("crafted")).expect("its world");
    let mut module = module(memories, pages, body);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false).expect("its type");
    let mut encoder = ComponentEncoder::default();
    encoder.module(&module).expect("a module of this world").validate(true).encode().expect("a component")
}

fn module(memories: u32, pages: u64, body: impl FnOnce(&mut InstructionSink<'_>)) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32; 2], [ValType::I32]);
    types.ty().function([ValType::I32; 4], [ValType::I32]);

    let mut functions = FunctionSection::new();
    functions.function(0).function(1);

    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: 0,
        maximum: None,
        shared: false,
    });

    let mut all = MemorySection::new();
    for _ in 0..memories {
        all.memory(MemoryType {
            minimum: pages,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
    }

    // What the host hands over is put at ever higher places.
    let mut globals = GlobalSection::new();
    let pointer = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
    globals.global(pointer, &ConstExpr::i32_const(1_024));

    let mut exports = ExportSection::new();
    exports.export("cepa:middleware/on-system-prompt@0.1.0#transform", ExportKind::Func, 0);
    exports.export("cabi_realloc", ExportKind::Func, 1);
    exports.export("memory", ExportKind::Memory, 0);

    let mut transform = Function::new([]);
    body(&mut transform.instructions());
    transform.instructions().end();
    let mut realloc = Function::new([]);
    realloc.instructions().global_get(0).global_get(0).local_get(3).i32_add().global_set(0).end();
    let mut code = CodeSection::new();
    code.function(&transform).function(&realloc);

    let mut module = Module::new();
    module.section(&types).section(&functions).section(&tables).section(&all);
    module.section(&globals).section(&exports).section(&code);
    module.finish()
}
