// Package middleware asks the model again, with feedback, while its answer lacks what it must contain.
package middleware

import (
	"fmt"
	"strings"

	"cepa"
	"cepa/log"
)

type Feedback struct {
	MustContain string `json:"must-contain"`
	Attempts    int    `json:"attempts"`
}

var Middleware = cepa.Configured(&Feedback{Attempts: 2})

func (feedback *Feedback) OnModelCall(
	request *cepa.ModelRequest, next *cepa.ModelNext, out *cepa.Sink,
) (*cepa.ModelResponse, error) {
	response, err := next.Run(request.Clone())
	for attempt := 2; attempt <= feedback.Attempts; attempt++ {
		if err != nil || feedback.passes(response) {
			break
		}
		log.Infof("feedback: attempt %d", attempt)
		told := fmt.Sprintf("Your answer must contain \"%s\". Answer again.", feedback.MustContain)
		for _, message := range []cepa.Message{response.Message(), cepa.User(told)} {
			if err := request.PushMessage(message); err != nil {
				return nil, err
			}
		}
		response, err = next.Run(request.Clone())
	}
	return response, err
}

// An answer with tool calls is not the last word: the results come first.
func (feedback *Feedback) passes(response *cepa.ModelResponse) bool {
	return strings.Contains(response.Text(), feedback.MustContain) || len(response.ToolCalls()) > 0
}
