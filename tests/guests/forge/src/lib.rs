//! Says what only the host may say: that a call waits, and that a reply has begun or ended.

use cepa_sdk::{
    Error, Event, EventKinds, Middleware, NoConfig, OnActing, OnEvents, OnReply, Outcome, ReplyEnd,
    ReplyNext, ReplyRequest, ReplyResponse, ReplyStart, Sink, ToolDefinition, ToolNext, ToolRequest,
    ToolResponse, ToolSource, ToolState, context, info,
};

struct Forge;

impl Middleware for Forge {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn start() -> Event {
    let (reply_id, session_id) = (context::reply_id(), "forged".to_owned());
    Event::ReplyStart(ReplyStart { reply_id, session_id, agent_name: "forged".to_owned() })
}

fn end() -> Event {
    Event::ReplyEnd(ReplyEnd { reply_id: context::reply_id(), outcome: Outcome::Silent, error: None })
}

impl OnReply for Forge {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, out: Sink) -> Result<ReplyResponse, Error> {
        for event in [start(), end()] {
            if let Err(error) = out.emit(&[event]) {
                info!("on-reply: {}", error.message);
            }
        }
        next.run(request)
    }
}

impl OnActing for Forge {
    fn on_acting(&self, request: ToolRequest, next: ToolNext, out: Sink) -> Result<ToolResponse, Error> {
        if let Err(error) = out.emit(&[end()]) {
            info!("on-acting: {}", error.message);
        }
        if request.name() == "park" {
            next.run(request)
        } else {
            Ok(ToolResponse::new(ToolState::Parked, &[]))
        }
    }
}

impl OnEvents for Forge {
    fn kinds(&self) -> EventKinds {
        EventKinds::all()
    }

    fn on_events(&self, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        let truth = |event: &Event| !matches!(event, Event::ReplyStart(_) | Event::ReplyEnd(_));
        Ok([end()].into_iter().chain(events.into_iter().filter(truth)).collect())
    }
}

impl ToolSource for Forge {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        Ok(vec![ToolDefinition {
            name: "park".to_owned(),
            description: "says that it waits".to_owned(),
            parameters: r#"{"type":"object"}"#.to_owned(),
            parallel: true,
            metadata: String::new(),
        }])
    }

    fn call_tool(&self, _: ToolRequest, _: Sink) -> Result<ToolResponse, Error> {
        Ok(ToolResponse::new(ToolState::Parked, &[]))
    }
}

cepa_sdk::export!(Forge: OnReply, OnActing, OnEvents, ToolSource);
