//! Aborts while a component is at work: the reply ends at once, and the component is not entered again.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cepa::chain::Sink;
use cepa::error::Error;
use cepa::event::{Event, Outcome};
use cepa::model::Model;
use cepa::policy::Grants;
use cepa::request::{ModelRequest, ModelResponse};
use cepa_tests::agent::{agent, ask, ask_and_abort, conversation, model, stored, told};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::json;
use tokio::sync::Notify;

/// A model that has cost something, and never answers.
#[derive(Clone, Default)]
struct Silent {
    asked: Arc<Notify>,
    /// Gone once the call is cancelled.
    held: Arc<()>,
}

impl Model for Silent {
    fn provider(&self) -> &str {
        "silent"
    }

    fn model_name(&self) -> &str {
        "silent-1"
    }

    fn call(
        &self,
        _: ModelRequest,
        _: String,
        out: Sink,
    ) -> Pin<Box<dyn Future<Output = Result<ModelResponse, Error>> + Send>> {
        let (asked, held) = (Arc::clone(&self.asked), Arc::clone(&self.held));
        Box::pin(async move {
            let _held = held;
            out.spent(&cepa::message::Usage { input_tokens: Some(9), ..Default::default() });
            asked.notify_one();
            std::future::pending().await
        })
    }
}

#[tokio::test]
async fn an_abort_ends_a_components_own_model_call() {
    let component = load("uses", guest!("uses")).await;
    let plan = LayerPlan::new("uses")
        .grants(Grants { models: vec!["slow".to_owned()], ..Grants::default() })
        .config(json!({ "before": [{ "complete": ["slow", "hello"] }, "who"], "after": ["who"] }));
    let slow = Silent::default();
    let agents = Arc::new(slow.clone());
    let idle = Arc::strong_count(&slow.held);
    let main = model("[[turn]]\ntext = \"Answer.\"");
    let hung = agent(&main).model("slow", agents).middleware(plan.entry(&component)).build().await.unwrap();
    let stream = hung.reply("s", "Go").await.unwrap();
    slow.asked.notified().await;
    stream.abort();
    let aborted = told(stream).await;
    assert_eq!(aborted.result.response.outcome, Outcome::Aborted);
    assert_eq!(aborted.log(), "", "the component is not entered again");
    assert_eq!(main.requests().len(), 0);
    assert_eq!(aborted.result.response.usage.input_tokens, Some(9), "its own call has its price");
    // The call, and with it the store that waited for it, are gone.
    while Arc::strong_count(&slow.held) > idle {
        tokio::task::yield_now().await;
    }
    let left = stored(&hung).await;
    assert!(left.open_calls.is_empty());
    assert_eq!(left.usage.iter().map(|(alias, ..)| alias.as_str()).collect::<Vec<_>>(), ["slow"]);
    drop(hung);

    let sound = agent(&main).build().await.unwrap();
    assert_eq!(ask(&sound, "Again").await.result.response.text(), "Answer.");
}

#[tokio::test]
async fn an_abort_ends_a_filter_that_spins() {
    let component = load("spin-events", guest!("spin-events")).await;
    // Its own limit would let it go on for long.
    let plan = LayerPlan::new("spins").limits(|limits| limits.cpu = Duration::from_secs(600));
    let agent = agent(&model("[[turn]]\ntext = \"Answer.\"\nrepeat = true"))
        .middleware(plan.entry(&component))
        .build()
        .await
        .unwrap();
    let asked = |event: &Event| matches!(event, Event::ModelCallStart { .. });
    let begun = Instant::now();
    let told = ask_and_abort(&agent, "Go", asked).await;
    assert_eq!(told.result.response.outcome, Outcome::Aborted);
    assert_eq!(told.streamed(), "", "what the filter did not let through does not go out");
    assert!(begun.elapsed() < Duration::from_secs(60), "it was not its own limit that ended it");
    assert_eq!(conversation(&agent).await, ["user: Go"]);
}
