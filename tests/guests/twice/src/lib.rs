//! Runs the reply twice, each time with a word added to the input, and answers with the second.

use cepa_sdk::{
    ContentBlock, Error, Middleware, NoConfig, OnReply, ReplyNext, ReplyRequest, ReplyResponse, Sink,
};

struct Twice;

impl Middleware for Twice {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnReply for Twice {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        let once = |word: &str| {
            let request = request.clone();
            let mut input = request.input();
            for message in &mut input {
                message.content.push(ContentBlock::Text(word.to_owned()));
            }
            request.set_input(&input)?;
            next.run(request)
        };
        once(" one")?;
        once(" two")
    }
}

cepa_sdk::export!(Twice: OnReply);
