//! One hostile component, what it is to come to, and what must hold around it.

use std::sync::Arc;

use cepa::agent::Agent;
use cepa::chain::{ChainEntry, NoteKind, OnFault};
use cepa::event::Outcome;
use cepa::model::Model;
use cepa::policy::{Grants, Limits, MountSpec};
use cepa::sandbox::Component;
use cepa::world::RealWorld;
use cepa_tests::agent::{Echo, Told, agent, model, told};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// A component and what it comes to.
pub(crate) struct Row {
    component: Vec<u8>,
    plan: LayerPlan,
    script: &'static str,
    /// The hook it breaks in, and what the cause must hold; none if it does not break.
    fault: Option<(&'static str, &'static [&'static str])>,
    /// What the reply answers with the layer, or without it when it is skipped.
    text: &'static str,
    log: Vec<&'static str>,
    denied: &'static [(&'static str, &'static str)],
    /// Where its files are.
    folder: Option<TempDir>,
}

impl Row {
    pub(crate) fn new(component: &[u8]) -> Self {
        Self {
            component: component.to_vec(),
            plan: LayerPlan::new("bad"),
            script: super::ANSWERS,
            fault: None,
            text: "Answer.",
            log: Vec::new(),
            denied: &[],
            folder: None,
        }
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        self.plan = self.plan.limits(change);
        self
    }

    pub(crate) fn grants(mut self, grants: Grants) -> Self {
        self.plan = self.plan.grants(grants);
        self
    }

    /// It may change the files of a folder of its own, the mount `work`.
    pub(crate) fn files(mut self) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let (name, path) = ("work".to_owned(), folder.path().to_owned());
        self.plan.spec.grants.workspace.push(MountSpec { name, folder: path, writable: true });
        self.folder = Some(folder);
        self
    }

    pub(crate) fn config(mut self, config: Value) -> Self {
        self.plan = self.plan.config(config);
        self
    }

    pub(crate) fn script(mut self, script: &'static str) -> Self {
        self.script = script;
        self
    }

    /// It breaks a rule in this hook, and the cause holds all of this.
    pub(crate) fn faults(mut self, hook: &'static str, cause: &'static [&'static str]) -> Self {
        self.fault = Some((hook, cause));
        self
    }

    /// It breaks no rule, and the reply is this.
    pub(crate) fn works(mut self, text: &'static str) -> Self {
        self.text = text;
        self
    }

    /// Its log has a line with this.
    pub(crate) fn says(mut self, line: &'static str) -> Self {
        self.log.push(line);
        self
    }

    /// It was refused these capabilities.
    pub(crate) fn denied(mut self, denied: &'static [(&'static str, &'static str)]) -> Self {
        self.denied = denied;
        self
    }
}

/// An agent with a sound layer outside and one inside of the bad one, if there is one, and with a sub-agent.
async fn an_agent(script: &str, bad: Option<ChainEntry>) -> Agent {
    static SOUND: OnceCell<Component> = OnceCell::const_new();
    let sound = SOUND.get_or_init(|| load("passthrough", guest!("passthrough"))).await;
    let helps = Arc::new(model(super::ANSWERS)) as Arc<dyn Model>;
    let mut builder = agent(&model(script))
        .world(Arc::new(RealWorld::default()))
        .sub_agent(Agent::builder("helper").model("main", helps))
        .tool(Arc::new(Echo::new("look")))
        .middleware(LayerPlan::new("outer").entry(sound));
    if let Some(bad) = bad {
        builder = builder.middleware(bad);
    }
    builder.middleware(LayerPlan::new("inner").entry(sound)).build().await.expect("the agent is built")
}

async fn ask(agent: &Agent, session: &str) -> Told {
    told(agent.reply(session, "Hello").await.expect("the reply begins")).await
}

/// An agent with the row's layer.
async fn attacked(row: &Row, bad: &Component, on_fault: OnFault) -> Agent {
    an_agent(row.script, Some(row.plan.clone().on_fault(on_fault).entry(bad))).await
}

/// One reply with the row's layer.
pub(crate) async fn attack(row: &Row) -> Told {
    let bad = load("bad", &row.component).await;
    ask(&attacked(row, &bad, OnFault::Fail).await, "s").await
}

/// Everything that must hold around a hostile component.
pub(crate) async fn hold(row: Row) {
    let calm = an_agent(super::ANSWERS, None).await;
    let bad = load("bad", &row.component).await;
    for on_fault in [OnFault::Fail, OnFault::Skip] {
        let attacked = attacked(&row, &bad, on_fault).await;
        for session in ["s", "t"] {
            let (told, beside) = tokio::join!(ask(&attacked, session), ask(&calm, session));
            assert_answers(&beside, "Answer.");
            assert!(beside.notes.iter().all(|note| matches!(note.kind, NoteKind::Log { .. })), "{beside:#?}");
            check(&row, on_fault, &told);
        }
    }
    assert_answers(&ask(&calm, "s").await, "Answer.");
}

fn assert_answers(told: &Told, text: &str) {
    assert_eq!(told.result.response.outcome, Outcome::Replied, "{told:#?}");
    assert_eq!(told.result.response.text(), text, "{told:#?}");
    assert_eq!(told.streamed(), text, "what was streamed and what is stored agree: {told:#?}");
}

/// What one reply with the bad layer came to, and what the operator was told of it.
fn check(row: &Row, on_fault: OnFault, told: &Told) {
    match (row.fault, on_fault) {
        (Some((hook, _)), OnFault::Fail) => {
            assert_eq!(told.result.response.outcome, Outcome::Failed, "{told:#?}");
            let error = told.result.response.error.clone().expect("a failed reply has an error");
            assert_eq!(error.message, format!("an inner layer failed in hook `{hook}`"));
        }
        _ => assert_answers(told, row.text),
    }
    let log = told.log();
    for line in &row.log {
        assert!(log.contains(line), "`{line}` is not in the log:\n{log}");
    }
    let mut denied = Vec::new();
    let mut faults = Vec::new();
    for note in told.notes.iter().filter(|note| !["outer", "inner"].contains(&note.layer.as_str())) {
        assert_eq!(note.layer, "bad", "what a layer does stands under its own name");
        match &note.kind {
            NoteKind::Denied { capability, object } => denied.push((*capability, object.as_str())),
            NoteKind::Fault { hook, cause } => faults.push((OnFault::Fail, *hook, cause.as_str())),
            NoteKind::Skipped { hook, cause } => faults.push((OnFault::Skip, *hook, cause.as_str())),
            _ => {}
        }
    }
    assert_eq!(denied, row.denied);
    match (row.fault, faults.as_slice()) {
        (None, []) => {}
        (Some((hook, fragments)), [first, ..]) => {
            assert_eq!((first.0, first.1), (on_fault, hook));
            for (_, _, cause) in &faults {
                assert!(fragments.iter().all(|part| cause.contains(part)), "{fragments:?} in `{cause}`");
            }
        }
        _ => panic!("one fault is wanted, not {faults:?}"),
    }
    let others = told.notes.iter().filter(|note| ["outer", "inner"].contains(&note.layer.as_str()));
    let untouched = others.into_iter().all(|note| matches!(note.kind, NoteKind::Log { .. }));
    assert!(untouched, "{:#?}", told.notes);
}
