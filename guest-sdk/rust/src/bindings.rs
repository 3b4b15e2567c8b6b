//! The contract's types and imports, as `wit-bindgen` reads them from `wit/`.
//!
//! Natively only the plain types among them are used: resources and imports then come from [`crate::native`].

wit_bindgen::generate!({
    path: "../../wit",
    world: "imports",
    generate_all,
    additional_derives: [PartialEq],
});
