package cepa

import "iter"

// EventsOf gives the events of these kinds of a run, one by one, to its end. Then its `Finish` gives the response.
func EventsOf(run interface{ Next(EventKinds) []Event }, kinds EventKinds) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for events := run.Next(kinds); len(events) > 0; events = run.Next(kinds) {
			for _, event := range events {
				if !yield(event) {
					return
				}
			}
		}
	}
}

// Startable is a `next` whose run of a request can be read.
type Startable[Request, Run any] interface {
	Start(request Request) Run
}

// Readable is a run that ends with a response.
type Readable[Response any] interface {
	Next(kinds EventKinds) []Event
	Finish() (Response, error)
	Drop()
}

// RunChanging runs what is inside, and sends outward what `change` makes of each event of these kinds; false drops it.
//
// This changes what is read while it comes. What holds in the end is the response: where the two differ, the host
// corrects the stream with `message-replaced`. So change the response likewise, for example with `SetText`.
func RunChanging[Request, Response any, Run Readable[Response]](
	next Startable[Request, Run], request Request, kinds EventKinds, out *Sink, change func(Event) (Event, bool),
) (Response, error) {
	run := next.Start(request)
	// A run goes on until it is dropped.
	defer run.Drop()
	for events := run.Next(kinds); len(events) > 0; events = run.Next(kinds) {
		var changed []Event
		for _, event := range events {
			if made, stays := change(event); stays {
				changed = append(changed, made)
			}
		}
		if len(changed) > 0 {
			if err := out.Emit(changed); err != nil {
				var nothing Response
				return nothing, err
			}
		}
	}
	return run.Finish()
}
