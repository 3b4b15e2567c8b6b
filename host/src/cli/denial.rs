//! What a layer was denied, and how to grant it.

/// What was denied, for a person.
pub fn said(layer: &str, capability: &str, object: &str) -> String {
    let of = if object.is_empty() { String::new() } else { format!(" of `{object}`") };
    format!("layer `{layer}` was denied `{capability}`{of}")
}

/// What to write into the manifest.
pub fn remedy(layer: &str, capability: &str, object: &str) -> String {
    let grant = match (capability, object) {
        ("state" | "index" | "permissions" | "telemetry", _) => format!("{capability} = true"),
        ("workspace", _) => "workspace = { NAME = \"ro:FOLDER\" }".to_owned(),
        ("conversation", "") => "conversation = \"read\"".to_owned(),
        ("conversation", access) => format!("conversation = \"{access}\""),
        (_, "") => format!("{capability} = [\"NAME\"]"),
        (_, name) => format!("{capability} = [\"{name}\"]"),
    };
    format!("if layer `{layer}` may do that, grant it: `grants = {{ {grant} }}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_capability_is_granted_in_its_own_way() {
        let denials = [
            ("state", ""),
            ("models", "main"),
            ("models", ""),
            ("tools", "rm"),
            ("conversation", "write"),
            ("index", ""),
            ("workspace", "work/a.txt"),
            ("permissions", "rm"),
            ("telemetry", "search"),
        ];
        let lines = denials.map(|(capability, object)| {
            format!("{}\n{}\n", said("x", capability, object), remedy("x", capability, object))
        });
        insta::assert_snapshot!(lines.concat(), @r#"
        layer `x` was denied `state`
        if layer `x` may do that, grant it: `grants = { state = true }`
        layer `x` was denied `models` of `main`
        if layer `x` may do that, grant it: `grants = { models = ["main"] }`
        layer `x` was denied `models`
        if layer `x` may do that, grant it: `grants = { models = ["NAME"] }`
        layer `x` was denied `tools` of `rm`
        if layer `x` may do that, grant it: `grants = { tools = ["rm"] }`
        layer `x` was denied `conversation` of `write`
        if layer `x` may do that, grant it: `grants = { conversation = "write" }`
        layer `x` was denied `index`
        if layer `x` may do that, grant it: `grants = { index = true }`
        layer `x` was denied `workspace` of `work/a.txt`
        if layer `x` may do that, grant it: `grants = { workspace = { NAME = "ro:FOLDER" } }`
        layer `x` was denied `permissions` of `rm`
        if layer `x` may do that, grant it: `grants = { permissions = true }`
        layer `x` was denied `telemetry` of `search`
        if layer `x` may do that, grant it: `grants = { telemetry = true }`
        "#);
    }
}
