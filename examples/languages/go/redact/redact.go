// Package middleware takes a text out of what is read, also where it comes in pieces, and out of the final answer.
package middleware

import (
	"strings"

	"cepa"
)

const redacted = "[redacted]"

type Redact struct {
	Pattern string `json:"pattern"`
}

var Middleware = cepa.Configured(&Redact{})

func (redact *Redact) OnReply(
	request *cepa.ReplyRequest, next *cepa.ReplyNext, out *cepa.Sink,
) (*cepa.ReplyResponse, error) {
	run := next.Start(request)
	defer run.Drop()
	if err := redact.forward(run, out); err != nil {
		return nil, err
	}
	response, err := run.Finish()
	if err != nil {
		return nil, err
	}
	if message := response.Message(); message.IsSome() {
		err = response.SetContent(redact.without(message.Some().Content))
	}
	return response, err
}

func (redact *Redact) forward(run *cepa.ReplyRun, out *cepa.Sink) error {
	// What may be the start of a match, by the id of its block.
	held := make(map[string]string)
	// `message-replaced` brings a whole message, with what was taken out of its pieces.
	kinds := cepa.EventKindsText | cepa.EventKindsRevision
	for event := range cepa.EventsOf(run, kinds) {
		if err := out.Emit(redact.changed(event, held)); err != nil {
			return err
		}
	}
	return nil
}

// What goes out for an event.
func (redact *Redact) changed(event cepa.Event, held map[string]string) []cepa.Event {
	switch event.Tag() {
	case cepa.EventTextDelta:
		delta := event.TextDelta()
		delta.Text, held[delta.Id] = redact.split(held[delta.Id] + delta.Text)
		if delta.Text == "" {
			return nil
		}
		return []cepa.Event{cepa.NewEventTextDelta(delta)}
	case cepa.EventTextEnd:
		id := event.TextEnd()
		if rest := held[id]; rest != "" {
			delete(held, id)
			return []cepa.Event{cepa.NewEventTextDelta(cepa.TextDelta{Id: id, Text: rest}), event}
		}
	case cepa.EventMessageReplaced:
		message := event.MessageReplaced()
		message.Content = redact.without(message.Content)
		return []cepa.Event{cepa.NewEventMessageReplaced(message)}
	}
	return []cepa.Event{event}
}

// The text without matches, and its end as far as a match may begin there.
func (redact *Redact) split(text string) (free, held string) {
	parts := strings.Split(text, redact.Pattern)
	last := len(parts) - 1
	rest := parts[last]
	size := min(len(redact.Pattern)-1, len(rest))
	for !strings.HasPrefix(redact.Pattern, rest[len(rest)-size:]) {
		size--
	}
	end := len(rest) - size
	parts[last], held = rest[:end], rest[end:]
	return strings.Join(parts, redacted), held
}

func (redact *Redact) without(content []cepa.ContentBlock) []cepa.ContentBlock {
	for at, block := range content {
		if block.Tag() == cepa.ContentBlockText {
			content[at] = cepa.NewContentBlockText(strings.ReplaceAll(block.Text(), redact.Pattern, redacted))
		}
	}
	return content
}
