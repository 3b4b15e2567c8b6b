// Package middleware puts `!` behind the text of the last message, and calls the model.
package middleware

import "cepa"

type Last struct{}

var Middleware = &Last{}

func (*Last) OnModelCall(
	request *cepa.ModelRequest, next *cepa.ModelNext, out *cepa.Sink,
) (*cepa.ModelResponse, error) {
	last := request.MessageCount() - 1
	message, err := request.Message(last)
	if err != nil {
		return nil, err
	}
	if at := len(message.Content) - 1; at >= 0 && message.Content[at].Tag() == cepa.ContentBlockText {
		message.Content[at] = cepa.NewContentBlockText(message.Content[at].Text() + "!")
	}
	if err := request.ReplaceMessage(last, message); err != nil {
		return nil, err
	}
	return next.Run(request)
}
