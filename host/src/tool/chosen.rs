//! Some of the tools of a provider.

use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::{ToolList, ToolProvider};

/// A provider of which some tools are taken, by their names.
pub(crate) struct Chosen {
    provider: Arc<dyn ToolProvider>,
    names: Vec<String>,
    /// The list that the provider gave last, and what was taken of it: the very same until the provider's changes.
    last: Mutex<Option<(ToolList, ToolList)>>,
}

impl Chosen {
    /// Those of these names; `*` stands for all.
    pub(crate) fn new(provider: Arc<dyn ToolProvider>, names: Vec<String>) -> Self {
        Self { provider, names, last: Mutex::new(None) }
    }

    fn choose(&self, all: ToolList) -> ToolList {
        let mut last = self.last.lock();
        if let Some((seen, chosen)) = &*last
            && Arc::ptr_eq(seen, &all)
        {
            return Arc::clone(chosen);
        }
        let wanted = all.iter().filter(|tool| is_chosen(&self.names, &tool.definition().name));
        let chosen: ToolList = Arc::new(wanted.cloned().collect());
        *last = Some((all, Arc::clone(&chosen)));
        chosen
    }
}

impl ToolProvider for Chosen {
    fn current(&self) -> BoxFuture<'_, ToolList> {
        Box::pin(async { self.choose(self.provider.current().await) })
    }
}

/// Whether a tool is among the chosen names.
pub(crate) fn is_chosen(names: &[String], tool: &str) -> bool {
    names.iter().any(|name| name == "*" || name == tool)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::{ExternalTool, Tool};
    use super::*;
    use crate::message::ToolDefinition;

    /// A provider whose list can be replaced.
    struct Changing(Mutex<ToolList>);

    impl ToolProvider for Changing {
        fn current(&self) -> BoxFuture<'_, ToolList> {
            let list = Arc::clone(&self.0.lock());
            Box::pin(async { list })
        }
    }

    fn list(names: &[&str]) -> ToolList {
        let tool = |name: &&str| {
            let (name, description, parameters) = ((*name).to_owned(), String::new(), json!({}));
            let definition =
                ToolDefinition { name, description, parameters, parallel: true, metadata: Map::new() };
            Arc::new(ExternalTool::new(definition)) as Arc<dyn Tool>
        };
        Arc::new(names.iter().map(tool).collect())
    }

    #[tokio::test]
    async fn the_chosen_ones_are_the_same_list_until_the_provider_has_another() {
        let provider = Arc::new(Changing(Mutex::new(list(&["look", "run"]))));
        let chosen = Chosen::new(Arc::clone(&provider) as Arc<dyn ToolProvider>, vec!["look".to_owned()]);
        let names = |list: &ToolList| -> Vec<String> {
            list.iter().map(|tool| tool.definition().name.clone()).collect()
        };
        let first = chosen.current().await;
        assert_eq!(names(&first), ["look"]);
        assert!(Arc::ptr_eq(&first, &chosen.current().await), "nothing has changed");
        *provider.0.lock() = list(&["run"]);
        assert!(chosen.current().await.is_empty());
    }
}
