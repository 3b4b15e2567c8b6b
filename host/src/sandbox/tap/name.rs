//! Names of functions as the contract writes them, from the names that the engine's generator made of them.

/// A function of the host.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct Function {
    /// The module of its interface: `state`.
    pub(in crate::sandbox) module: &'static str,
    /// The trait that has it: `Host`, or `HostReplyRequest` for a resource.
    pub(in crate::sandbox) host: &'static str,
    /// Its method: `compare_and_set`.
    pub(in crate::sandbox) method: &'static str,
}

impl Function {
    /// The interface. Those with functions have names of one word.
    pub(in crate::sandbox) fn interface(self) -> &'static str {
        self.module
    }

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
