//! Computes without end as soon as there is a text.

use cepa_sdk::{Error, Event, EventKinds, Middleware, NoConfig, OnEvents};

struct SpinEvents;

impl Middleware for SpinEvents {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnEvents for SpinEvents {
    fn kinds(&self) -> EventKinds {
        EventKinds::TEXT
    }

    fn on_events(&self, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        let mut turns = 0_u64;
        while std::hint::black_box(turns) < u64::MAX {
            turns += 1;
        }
        Ok(events)
    }
}

cepa_sdk::export!(SpinEvents: OnEvents);
