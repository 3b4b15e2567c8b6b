// Package middleware calls the model, and does nothing else.
package middleware

import "cepa"

type Passthrough struct{}

var Middleware = &Passthrough{}

func (*Passthrough) OnModelCall(
	request *cepa.ModelRequest, next *cepa.ModelNext, out *cepa.Sink,
) (*cepa.ModelResponse, error) {
	return next.Run(request)
}
