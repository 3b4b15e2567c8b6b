package cepa

import "cepa/internal/wire"

// Error is what went wrong: a kind, and one sentence for a person. The host's calls answer it, and a hook may.
//
// `errors.As` finds it. Any other error that a hook answers becomes one of the kind `internal`.
type Error = wire.Error

// NewError makes an error of a kind. `Retryable` follows from the kind.
func NewError(kind ErrorKind, message string) *Error {
	return wire.NewError(kind, "", message)
}

// Rejected is this middleware's refusal for a reason of its own; `code` is a stable word in kebab case.
func Rejected(code, message string) *Error {
	return wire.NewError(ErrorKindRejected, code, message)
}

// Invalid is about a value that can't be used.
func Invalid(message string) *Error {
	return wire.NewError(ErrorKindInvalidInput, "", message)
}
