//! Decides about tool calls as its configuration says, after it has logged what is decided inside.

use cepa_sdk::{
    Error, Middleware, OnCheckPermission, Permission, PermissionDecision, PermissionNext, PermissionRequest,
    info,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Decide {
    #[default]
    Allow,
    Ask,
    Deny,
    /// Answers an error.
    Fail,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    decide: Decide,
}

struct Permit(Decide);

impl Middleware for Permit {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config.decide))
    }
}

impl OnCheckPermission for Permit {
    fn on_check_permission(
        &self,
        request: PermissionRequest,
        next: PermissionNext,
    ) -> Result<PermissionDecision, Error> {
        let (call, confirmed) = (request.call(), request.confirmed());
        let inside = next.run(request)?;
        info!("{}({}) confirmed {confirmed}: {:?}", call.name, call.arguments, inside.permission);
        let permission = match self.0 {
            Decide::Allow => Permission::Allow,
            Decide::Ask => Permission::Ask,
            Decide::Deny => Permission::Deny,
            Decide::Fail => return Err(Error::rejected("unsure", "it could not be checked")),
        };
        Ok(PermissionDecision { permission, reason: "the layer says so".to_owned() })
    }
}

cepa_sdk::export!(Permit: OnCheckPermission);
