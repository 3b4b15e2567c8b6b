// Package wire is between the bindings and the SDK: results become Go's errors, and handles end with their hook.
package wire

import (
	types "wit_component/cepa_middleware_types"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// Error is the contract's record of the same fields, as a Go error.
type Error types.Error

func (err *Error) Error() string {
	return err.Message
}

// NewError makes an error; whether it is worth another attempt follows from its kind.
func NewError(kind types.ErrorKind, code, message string) *Error {
	err := &Error{Kind: kind, Code: code, Message: message, RetryAfterMs: wit.None[uint32](), Status: wit.None[uint16]()}
	switch kind {
	case types.ErrorKind_Timeout, types.ErrorKind_RateLimited, types.ErrorKind_Overloaded,
		types.ErrorKind_Connection, types.ErrorKind_Upstream:
		err.Retryable = true
	}
	return err
}

// Value takes a result apart.
func Value[T any](result wit.Result[T, types.Error]) (T, error) {
	if result.IsErr() {
		var nothing T
		err := Error(result.Err())
		return nothing, &err
	}
	return result.Ok(), nil
}

// Check takes a result apart that is nothing but its error.
func Check(result wit.Result[wit.Unit, types.Error]) error {
	_, err := Value(result)
	return err
}

// Absent is an error that may be absent.
func Absent(record wit.Option[types.Error]) *Error {
	if record.IsNone() {
		return nil
	}
	err := Error(record.Some())
	return &err
}
