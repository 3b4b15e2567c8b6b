//! What a guest hands to the host: edits, events, content and JSON of any kind.

use std::sync::LazyLock;

use cepa::chain::{ChainEntry, ModelCall, endpoint_fn};
use cepa::message::{Block, Message};
use cepa::request::{ModelRequest, ModelResponse};
use cepa_tests::chain::{LayerPlan, call, load};
use cepa_tests::guest;

use crate::runtime;

/// Has a component say what the bytes tell it to, in the middle of a model call.
pub(crate) fn speak(bytes: &[u8]) {
    static LAYER: LazyLock<ChainEntry> = LazyLock::new(|| {
        let component = runtime().block_on(load("babble", guest!("babble")));
        LayerPlan::new("babble").entry(&component)
    });
    let mut request = ModelRequest::to("main");
    request.edit().system_prompt = Some(String::from_utf8_lossy(bytes).into_owned());
    request.push_message(Message::user("Hello"));
    let endpoint = endpoint_fn::<ModelCall, _, _>(|_, _| async {
        Ok(ModelResponse::answer(vec![Block::Text { text: "done".to_owned() }]))
    });
    let happened = runtime().block_on(call(std::slice::from_ref(&*LAYER), request, endpoint));
    assert!(
        happened.result.is_ok(),
        "nothing here breaks a rule: {:?} {:?}",
        happened.result,
        happened.notes
    );
}
