//! The contract as plain `wit-bindgen` gives it, without the project's SDK.

wit_bindgen::generate!({
    path: ["../../../wit", "../wit"],
    world: "cepa-tests:guests/guest",
    pub_export_macro: true,
    default_bindings_module: "language_guests",
    generate_all,
});
