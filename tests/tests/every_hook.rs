//! All hooks of two components in one reply: their order, and the instances they take.

use cepa::chain::ChainEntry;
use cepa::sandbox::Sandbox;
use cepa_tests::agent::{agent, ask, conversation, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;

const LOOKS_ONCE: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "tool-of-inner", arguments = {} }]

[[turn]]
text = "{{system}} {{tool-result}}"
"#;

#[tokio::test]
async fn entries_are_in_order_and_exits_reversed_and_transformers_run_in_list_order() {
    let component = load("every-hook", guest!("every-hook")).await;
    let agent = agent(&model(LOOKS_ONCE))
        .middleware(LayerPlan::new("outer").entry(&component))
        .middleware(LayerPlan::new("inner").entry(&component))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Who is there?").await;
    // The stream goes through its filters beside the reply, so that their order has nothing to do with each other.
    let log = told.log();
    let (filters, hooks): (Vec<&str>, Vec<&str>) = log.lines().partition(|line| line.contains(" events"));
    insta::assert_snapshot!(format!("{}\n\n{}", hooks.join("\n"), filters.join("\n")));
    assert_eq!(told.marks(), Vec::<&cepa::chain::Note>::new());
    assert_eq!(
        conversation(&agent).await,
        [
            "user: Who is there?",
            "assistant: c1 = tool-of-inner({})",
            "tool: c1 Success here is inner",
            "assistant: Be brief. [outer] [inner] here is inner"
        ]
    );
    assert_eq!(told.streamed(), "Be brief. [outer] [inner] here is inner");
}

#[tokio::test]
async fn a_hook_inside_a_hook_of_the_same_layer_gets_an_instance_of_its_own() {
    // A sandbox of its own: its counts are not shared with other tests.
    let sandbox = Sandbox::new(None).unwrap();
    let component = sandbox.load("every-hook", guest!("every-hook").to_vec()).await.unwrap();
    let entry = ChainEntry::shared(sandbox.middleware(LayerPlan::new("one").spec, &component).unwrap());
    let model = model("[[turn]]\ntext = \"Hello.\"\nrepeat = true");
    let agent = agent(&model).middleware(entry).build().await.unwrap();
    for _ in 0..3 {
        let (compiled, made) = (sandbox.counts().compilations(), sandbox.counts().stores());
        ask(&agent, "Hi").await;
        // One for `on-events`, one for `on-reply`, one inside it for `on-reasoning`, and one inside that for
        // `on-system-prompt`, then `on-model-call`. The others find one of these idle.
        assert_eq!(sandbox.counts().stores() - made, 4);
        assert_eq!(sandbox.counts().compilations(), compiled);
    }
}

#[tokio::test]
async fn a_hook_that_is_not_implemented_takes_no_call_and_no_instance() {
    let sandbox = Sandbox::new(None).unwrap();
    let component = sandbox.load("watch-end", guest!("watch-end").to_vec()).await.unwrap();
    let entry = ChainEntry::shared(sandbox.middleware(LayerPlan::new("end").spec, &component).unwrap());
    let agent = agent(&model("[[turn]]\ntext = \"Hello.\"")).middleware(entry).build().await.unwrap();
    let (made, called) = (sandbox.counts().stores(), sandbox.counts().hook_calls());
    ask(&agent, "Hi").await;
    assert_eq!((sandbox.counts().stores() - made, sandbox.counts().hook_calls() - called), (1, 1));
}
