//! Makes a thousand events of each batch that it filters.

use cepa_sdk::{Error, Event, EventKinds, Middleware, NoConfig, OnEvents, OtherEvent};

struct Multiply;

impl Middleware for Multiply {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnEvents for Multiply {
    fn kinds(&self) -> EventKinds {
        EventKinds::TEXT
    }

    fn on_events(&self, _: Vec<Event>) -> Result<Vec<Event>, Error> {
        let event = Event::Other(OtherEvent { name: "more".to_owned(), json: "1".to_owned() });
        Ok(vec![event; 1_000])
    }
}

cepa_sdk::export!(Multiply: OnEvents);
