//! The contract says of each of its items what it is, and since when it is there.

use std::path::Path;

use wit_parser::{Docs, Interface, Resolve, Stability, Type, TypeDef, TypeDefKind};

/// What items of a contract lack, a sentence each.
#[derive(Debug, Default)]
struct Lacks(Vec<String>);

impl Lacks {
    fn of(resolve: &Resolve) -> Vec<String> {
        let mut lacks = Self::default();
        for (_, interface) in &resolve.interfaces {
            lacks.interface(resolve, interface);
        }
        for (_, world) in &resolve.worlds {
            lacks.item(&world.name, &world.docs, &world.stability);
        }
        lacks.0.sort();
        lacks.0
    }

    fn interface(&mut self, resolve: &Resolve, interface: &Interface) {
        let name = interface.name.as_deref().unwrap_or("an interface without a name");
        self.item(name, &interface.docs, &interface.stability);
        for (own, id) in &interface.types {
            let ty = &resolve.types[*id];
            if !is_used(resolve, ty) {
                self.ty(&format!("{name}.{own}"), ty);
            }
        }
        for (own, function) in &interface.functions {
            self.item(&format!("{name}.{own}"), &function.docs, &function.stability);
        }
    }

    fn ty(&mut self, name: &str, ty: &TypeDef) {
        self.item(name, &ty.docs, &ty.stability);
        let parts: Vec<(&str, &Docs)> = match &ty.kind {
            TypeDefKind::Record(it) => it.fields.iter().map(|it| (it.name.as_str(), &it.docs)).collect(),
            TypeDefKind::Variant(it) => it.cases.iter().map(|it| (it.name.as_str(), &it.docs)).collect(),
            TypeDefKind::Enum(it) => it.cases.iter().map(|it| (it.name.as_str(), &it.docs)).collect(),
            TypeDefKind::Flags(it) => it.flags.iter().map(|it| (it.name.as_str(), &it.docs)).collect(),
            _ => Vec::new(),
        };
        for (part, docs) in parts {
            self.doc(&format!("{name}.{part}"), docs);
        }
    }

    fn item(&mut self, name: &str, docs: &Docs, stability: &Stability) {
        self.doc(name, docs);
        if !matches!(stability, Stability::Stable { .. }) {
            self.0.push(format!("`{name}` has no `@since`"));
        }
    }

    fn doc(&mut self, name: &str, docs: &Docs) {
        if docs.contents.as_deref().is_none_or(|text| text.trim().is_empty()) {
            self.0.push(format!("`{name}` has no doc"));
        }
    }
}

/// Whether a type only stands for one of another interface, by `use`.
fn is_used(resolve: &Resolve, ty: &TypeDef) -> bool {
    matches!(&ty.kind, TypeDefKind::Type(Type::Id(id)) if resolve.types[*id].owner != ty.owner)
}

fn contract() -> Resolve {
    let mut resolve = Resolve::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
    resolve.push_dir(folder).expect("the contract is WIT");
    resolve
}

#[test]
fn every_item_is_documented_and_says_since_when_it_is_there() {
    let lacks = Lacks::of(&contract());
    assert!(lacks.is_empty(), "{}", lacks.join("\n"));
}

#[test]
fn what_an_item_lacks_is_named() {
    let bare = "package a:b@0.1.0;
        interface things {
          record point { x: u32 }
          variant way { here }
          resource door { open: func(); }
          find: func();
        }";
    let mut resolve = Resolve::default();
    resolve.push_str("bare.wit", bare).expect("it is WIT");
    insta::assert_snapshot!(Lacks::of(&resolve).join("\n"), @"
    `things.[method]door.open` has no `@since`
    `things.[method]door.open` has no doc
    `things.door` has no `@since`
    `things.door` has no doc
    `things.find` has no `@since`
    `things.find` has no doc
    `things.point.x` has no doc
    `things.point` has no `@since`
    `things.point` has no doc
    `things.way.here` has no doc
    `things.way` has no `@since`
    `things.way` has no doc
    `things` has no `@since`
    `things` has no doc
    ");
}

#[test]
fn what_others_bring_in_has_an_open_case() {
    let resolve = contract();
    for name in ["content-block", "result-part", "event", "error-kind", "finish-reason"] {
        let mut named = resolve.types.iter().filter(|(_, ty)| ty.name.as_deref() == Some(name));
        assert!(named.any(|(_, ty)| is_open(&ty.kind)), "`{name}` has no case `other`");
    }
}

fn is_open(kind: &TypeDefKind) -> bool {
    match kind {
        TypeDefKind::Variant(it) => it.cases.iter().any(|case| case.name == "other"),
        TypeDefKind::Enum(it) => it.cases.iter().any(|case| case.name == "other"),
        _ => false,
    }
}
