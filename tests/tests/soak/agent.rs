//! An agent of ten layers, of which three are moody.

use std::sync::Arc;
use std::time::Duration;

use cepa::agent::Agent;
use cepa::chain::{ChainEntry, OnFault};
use cepa::models::ScriptedModel;
use cepa::policy::{Grants, Limits};
use cepa::sandbox::{Component, Sandbox};
use cepa::tool::Tool;
use cepa::world::RealWorld;
use cepa_tests::agent::Echo;
use cepa_tests::chain::LayerPlan;
use cepa_tests::guest;
use serde_json::json;

/// What the model does when it is told to; otherwise it says a word that a layer blots out.
const SCRIPT: &str = r#"
[[turn]]
when = { contains = "please remember" }
tool-calls = [{ name = "remember", arguments = { count = 1 } }]
repeat = true

[[turn]]
when = { contains = "please break" }
tool-calls = [{ name = "break" }]
repeat = true

[[turn]]
when = { contains = "please look" }
tool-calls = [{ name = "look" }]
repeat = true

[[turn]]
when = { contains = "please hang" }
tool-calls = [{ name = "hang" }]
repeat = true

[[turn]]
when = { contains = "please wait" }
delay-ms = 3600000
repeat = true

[[turn]]
when = { contains = "please fail" }
text = "The word is"
error = { kind = "overloaded" }
repeat = true

[[turn]]
text = "The word is swordfish."
chunks = 3
repeat = true
"#;

/// The layers, loaded once, outermost first.
pub(crate) struct Layers {
    pub(crate) sandbox: Sandbox,
    entries: Vec<(LayerPlan, Component)>,
}

impl Layers {
    /// In a sandbox of their own, whose counts no other test changes.
    pub(crate) async fn load() -> Self {
        let sandbox = Sandbox::new(None).expect("the sandbox can be set up");
        let mut entries = Vec::new();
        for (plan, bytes) in plans() {
            let component = sandbox.load(&plan.spec.name, bytes).await.expect("the component is sound");
            entries.push((plan, component));
        }
        Self { sandbox, entries }
    }

    /// A fresh agent with this tool, and with one that never ends.
    pub(crate) async fn agent(&self, tool: &Arc<Echo>) -> Agent {
        let world = Arc::new(RealWorld::default());
        let model = ScriptedModel::from_toml("soak", SCRIPT, world.clone()).expect("a script");
        let mut builder = Agent::builder("soak")
            .system_prompt("Be brief.")
            .model("main", Arc::new(model))
            .world(world)
            .tool(Arc::clone(tool) as Arc<dyn Tool>)
            .tool(Arc::new(Echo::new("hang").hanging()));
        for (plan, component) in &self.entries {
            builder = builder.middleware(self.entry(plan, component));
        }
        builder.build().await.expect("the agent can be built")
    }

    fn entry(&self, plan: &LayerPlan, component: &Component) -> ChainEntry {
        plan.clone().entry_in(&self.sandbox, component)
    }
}

fn plans() -> [(LayerPlan, &'static [u8]); 10] {
    let state = || Grants { state: true, ..Grants::default() };
    let moody = |name: &str, on_fault, limits: fn(&mut Limits)| {
        // However often it faults, it is called again.
        LayerPlan::new(name).limits(limits).on_fault(on_fault).max_faults(u32::MAX)
    };
    [
        (LayerPlan::new("end"), guest!("watch-end")),
        (LayerPlan::new("redact").config(json!({ "secret": "swordfish" })), guest!("redact")),
        (LayerPlan::new("review"), guest!("review")),
        (LayerPlan::new("permit"), guest!("permit")),
        (LayerPlan::new("remember").grants(state()).max_faults(u32::MAX), guest!("remember")),
        (
            LayerPlan::new("count").grants(state()).config(json!({
                "before": [{ "increment": ["reply", "n", 1] }],
                "after": [{ "increment": ["session", "n", 1] }],
            })),
            guest!("uses"),
        ),
        (moody("first", OnFault::Skip, tight), guest!("moody")),
        (LayerPlan::new("observe"), guest!("observe")),
        (moody("second", OnFault::Fail, tight), guest!("moody")),
        (moody("last", OnFault::Skip, brief), guest!("moody")),
    ]
}

/// Limits that are reached at once by who means to, and by nobody else on however busy a machine.
fn tight(limits: &mut Limits) {
    limits.cpu = Duration::from_millis(50);
    limits.memory = 4 << 20;
}

/// A short time, which a busy machine may take from a layer that means no harm: skipping it changes nothing.
fn brief(limits: &mut Limits) {
    limits.wall = Duration::from_millis(250);
}
