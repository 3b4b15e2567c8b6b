//! `telemetry`: what a layer measures, under its own name and in the hook that runs.

use wasmtime::component::Resource;

use crate::error::{Error, ErrorKind};
use crate::sandbox::bindings::cepa::middleware::{telemetry as wit, types};
use crate::sandbox::convert::attributes_from_guest;
use crate::sandbox::resources::answer;
use crate::sandbox::spans::{OpenSpan, SpanHandle};
use crate::sandbox::store::GuestState;
use crate::telemetry::{Attributes, Count, Source, Span, check_name};

fn ended() -> Error {
    Error::invalid("this span has ended")
}

impl GuestState {
    /// Who measures, and what is known of it, if it may be measured.
    fn measured(&self, what: &str, name: &str, attributes: &str) -> Result<(Source, Attributes), Error> {
        if !self.layer.spec.grants.telemetry {
            return Err(self.denied("telemetry", name));
        }
        let Some(hook) = self.hook() else {
            return Err(Error::new(ErrorKind::Unsupported, "nothing is measured outside of a hook call"));
        };
        check_name(what, name)?;
        // First, so that no more is read than may be sent.
        self.reply_budget.telemetry.record(name.len() + attributes.len())?;
        let known = attributes_from_guest(attributes)?;
        Ok((self.context.source(&self.layer.spec.name, hook), known))
    }

    fn begin_span(
        &mut self,
        name: String,
        attributes: &str,
        parent: Option<String>,
    ) -> Result<SpanHandle, Error> {
        let (source, attributes) = self.measured("a span", &name, attributes)?;
        let world = &self.context.world;
        let (id, start_ms, started) = (world.id(), world.now_ms(), world.monotonic());
        let span = Span { id, parent, name, start_ms, duration_us: 0, attributes, failure: None };
        Ok(self.spans.begin(OpenSpan { source, span, started }))
    }

    /// Gives the guest a span.
    fn give_span(
        &mut self,
        name: String,
        attributes: &str,
        parent: Option<String>,
    ) -> wasmtime::Result<Result<Resource<SpanHandle>, types::Error>> {
        match self.begin_span(name, attributes, parent) {
            Ok(handle) => Ok(Ok(self.give(handle)?)),
            Err(error) => answer(Err(error)),
        }
    }

    /// Changes a span by a text.
    fn change_span(
        &mut self,
        this: &Resource<SpanHandle>,
        text: &str,
        change: impl FnOnce(&mut Span) -> Result<(), Error>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let handle = self.table.get(this)?;
        let Some(span) = self.spans.get(handle) else { return answer(Err(ended())) };
        answer(self.reply_budget.telemetry.text(text.len()).and_then(|()| change(span)))
    }
}

impl wit::HostSpan for GuestState {
    fn start(
        &mut self,
        name: String,
        attributes: String,
    ) -> wasmtime::Result<Result<Resource<SpanHandle>, types::Error>> {
        self.give_span(name, &attributes, None)
    }

    fn child(
        &mut self,
        this: Resource<SpanHandle>,
        name: String,
        attributes: String,
    ) -> wasmtime::Result<Result<Resource<SpanHandle>, types::Error>> {
        let handle = self.table.get(&this)?;
        let Some(parent) = self.spans.get(handle).map(|span| span.id.clone()) else {
            return answer(Err(ended()));
        };
        self.give_span(name, &attributes, Some(parent))
    }

    fn set_attributes(
        &mut self,
        this: Resource<SpanHandle>,
        attributes: String,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        self.change_span(&this, &attributes, |span| {
            span.attributes.extend(attributes_from_guest(&attributes)?);
            Ok(())
        })
    }

    fn fail(
        &mut self,
        this: Resource<SpanHandle>,
        reason: String,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        self.change_span(&this, &reason, |span| {
            span.failure = Some(reason.clone());
            Ok(())
        })
    }

    fn end(&mut self, this: Resource<SpanHandle>) -> wasmtime::Result<()> {
        let handle = self.table.get(&this)?;
        if let Some((source, span)) = self.spans.end(handle, self.context.world.monotonic()) {
            self.context.tell_span(source, span);
        }
        Ok(())
    }

    fn drop(&mut self, this: Resource<SpanHandle>) -> wasmtime::Result<()> {
        let handle = self.table.delete(this)?;
        if let Some((source, span)) = self.spans.end(&handle, self.context.world.monotonic()) {
            self.context.tell_span(source, span);
        }
        Ok(())
    }
}

impl wit::Host for GuestState {
    fn count(
        &mut self,
        name: String,
        value: f64,
        attributes: String,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let measured = self.measured("a counter", &name, &attributes).and_then(|measured| {
            if value.is_finite() && value >= 0.0 {
                return Ok(measured);
            }
            Err(Error::invalid(format!("{value} can't be added to a counter: a number from 0 on is wanted")))
        });
        answer(measured.map(|(source, attributes)| {
            self.context.tell_count(source, Count { name, value, attributes });
        }))
    }
}
