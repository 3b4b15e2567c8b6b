//! However a stream is cut into portions on its way, the same comes of it.

use proptest::prelude::*;

use super::anthropic::full;
use super::openai::{DONE, data, delta, finish};
use super::play::{Wire, ask, question};
use super::server::{Reply, Server};

/// Plays all replies against one server, and gives what came of each.
async fn play_all(wire: Wire, replies: Vec<Reply>) -> Vec<String> {
    let count = replies.len();
    let server = Server::start(replies).await;
    let model = wire.model(&server.url);
    let mut texts = Vec::with_capacity(count);
    for _ in 0..count {
        texts.push(ask(&*model, question()).await.text());
    }
    texts
}

fn streams() -> Vec<(Wire, String)> {
    let call = |fragment: &str| delta(&format!(r#"{{"tool_calls":[{fragment}]}}"#));
    let openai = [
        ": ping\r\n\r\n".to_owned(),
        delta(r#"{"content":"Hé😀"}"#).replace('\n', "\r\n"),
        call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{\"a\""}}"#),
        call(r#"{"index":0,"function":{"arguments":":1}"}}"#),
        finish("tool_calls"),
        data(r#"{"choices":[],"usage":{"prompt_tokens":9}}"#),
        DONE.to_owned(),
    ];
    let whole = r#"{"choices":[{"message":{"content":"Hé😀"},"finish_reason":"stop"}]}"#;
    let cut = delta(r#"{"content":"Hé😀"}"#);
    vec![
        (Wire::OpenAi, openai.concat()),
        (Wire::OpenAi, format!("\u{feff}{whole}")),
        (Wire::OpenAi, cut),
        (Wire::Anthropic, full()),
    ]
}

#[tokio::test]
async fn a_cut_at_any_byte_changes_nothing() {
    // The long one takes part in the test of any portions.
    for (wire, stream) in streams().into_iter().filter(|(_, stream)| stream.len() < 1000) {
        let whole = play_all(wire, vec![Reply::of(stream.clone())]).await.concat();
        let replies = (1..stream.len()).map(|place| Reply::of(stream.clone()).split([place])).collect();
        for (place, text) in (1..).zip(play_all(wire, replies).await) {
            assert_eq!(text, whole, "cut at byte {place}");
        }
    }
}

#[tokio::test]
async fn byte_by_byte_changes_nothing() {
    for (wire, stream) in streams() {
        let whole = Reply::of(stream.clone());
        let texts = play_all(wire, vec![whole.clone(), whole.split(1..stream.len())]).await;
        assert_eq!(texts[0], texts[1]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_portions_give_the_same(cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            for (wire, stream) in streams() {
                let places: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len())).collect();
                let replies = vec![Reply::of(stream.clone()), Reply::of(stream.clone()).split(places)];
                let texts = play_all(wire, replies).await;
                prop_assert_eq!(&texts[0], &texts[1]);
            }
            Ok(())
        })?;
    }
}
