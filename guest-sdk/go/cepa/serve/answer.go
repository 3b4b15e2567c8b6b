package serve

import (
	"errors"

	"cepa/internal/wire"
	"cepa/log"
	types "wit_component/cepa_middleware_types"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// What the bindings answer for a hook.
type result[T any] = wit.Result[T, types.Error]

// Calls a hook, and makes of what comes of it what the bindings answer. The handles that it was given end with it.
func answer[T any](middleware any, call func() (T, error), given ...interface{ Drop() }) result[T] {
	for _, handle := range given {
		wire.Keep(handle)
	}
	value, err := guarded(middleware, call)
	if err != nil {
		wire.Release(nil)
		return wit.Err[T](record(err))
	}
	wire.Release(value)
	return wit.Ok[T, types.Error](value)
}

// Calls a hook, with the middleware ready and a panic as an error.
func guarded[T any](middleware any, call func() (T, error)) (value T, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = caught(panicked)
		}
	}()
	if err := prepare(middleware); err != nil {
		return value, err
	}
	return call()
}

// The contract's record of an error. One that wraps the contract's keeps its kind, with the words around it.
func record(err error) types.Error {
	var panicked *panicError
	if errors.As(err, &panicked) {
		log.Errorf("%s", told(err))
	}
	var own *wire.Error
	if !errors.As(err, &own) {
		return internal(err.Error())
	}
	if own == nil {
		return internal("the hook answered a nil `*cepa.Error`; answer `nil` itself when all went well")
	}
	known := types.Error(*own)
	if err != error(own) {
		known.Message = err.Error()
	}
	return known
}

func internal(message string) types.Error {
	return types.Error(*wire.NewError(types.ErrorKind_Internal, "", message))
}
