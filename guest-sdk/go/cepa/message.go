package cepa

import (
	"slices"
	"strings"
)

// User makes a user message of one text block.
func User(text string) Message {
	return said(RoleUser, text)
}

// Assistant makes an assistant message of one text block.
func Assistant(text string) Message {
	return said(RoleAssistant, text)
}

func said(role Role, text string) Message {
	return Message{Role: role, Name: None[string](), Content: []ContentBlock{NewContentBlockText(text)}}
}

// TextOf joins the text blocks of a message. A response has a method `Text` of its own.
func TextOf(message Message) string {
	var text strings.Builder
	for _, block := range message.Content {
		if block.Tag() == ContentBlockText {
			text.WriteString(block.Text())
		}
	}
	return text.String()
}

// ToolCallsOf gives the tool calls among the blocks of a message, in order.
func ToolCallsOf(message Message) []ToolCall {
	var calls []ToolCall
	for _, block := range message.Content {
		if block.Tag() == ContentBlockToolCall {
			calls = append(calls, block.ToolCall())
		}
	}
	return calls
}

// ResultOf is what a tool answers: one text.
func ResultOf(text string) *ToolResponse {
	return NewToolResponse(ToolStateSuccess, []ResultPart{NewResultPartText(text)})
}

// FailureOf is what a tool answers that has failed: why.
func FailureOf(text string) *ToolResponse {
	return NewToolResponse(ToolStateError, []ResultPart{NewResultPartText(text)})
}

// SetText puts one text in the place of the texts of a response's message, which is one of a model, of a reasoning or
// of a reply. All else in it stays: thoughts, calls and data.
func SetText(response interface{ SetContent([]ContentBlock) error }, text string) error {
	content := contentOf(response)
	place := slices.IndexFunc(content, isA(ContentBlockText))
	if place < 0 {
		place = slices.IndexFunc(content, isA(ContentBlockToolCall))
	}
	if place < 0 {
		place = len(content)
	}
	// No text is before the place, so it is the same in what is left.
	left := slices.DeleteFunc(content, isA(ContentBlockText))
	return response.SetContent(slices.Insert(left, place, NewContentBlockText(text)))
}

func isA(tag uint8) func(ContentBlock) bool {
	return func(block ContentBlock) bool { return block.Tag() == tag }
}

func contentOf(response any) []ContentBlock {
	switch response := response.(type) {
	case interface{ Message() Message }:
		return response.Message().Content
	case interface{ Message() Option[Message] }:
		return response.Message().SomeOr(Message{}).Content
	}
	return nil
}
