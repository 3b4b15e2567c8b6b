//! Names of functions as the contract writes them, from the names that the engine's generator made of them.

/// A function of the host.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct Function {
    /// Its interface: `state`. All that have functions are called by one word.
    pub(in crate::sandbox) module: &'static str,
    /// The trait that has it: `Host`, or `HostReplyRequest` for a resource.
    pub(in crate::sandbox) host: &'static str,
    /// Its method: `compare_and_set`.
    pub(in crate::sandbox) method: &'static str,
}

impl Function {
    /// The function, behind its resource where it has one: `compare-and-set`, `reply-request.set-input`.
    pub(in crate::sandbox) fn name(self) -> String {
        let resource = self.host.strip_prefix("Host").unwrap_or(self.host);
        let mut name = String::new();
        for letter in resource.chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        if !name.is_empty() {
            name.push('.');
        }
        name + &self.method.replace('_', "-")
    }
}

impl std::fmt::Display for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.module, self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_the_names_of_the_contract() {
        let name = |host, method| Function { module: "requests", host, method }.name();
        assert_eq!(name("Host", "compare_and_set"), "compare-and-set");
        assert_eq!(name("HostReplyRequest", "set_input"), "reply-request.set-input");
        assert_eq!(name("HostSink", "drop"), "sink.drop");
    }
}
