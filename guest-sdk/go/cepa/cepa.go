// Package cepa writes Cepa middlewares in Go.
//
// A middleware is a package with a variable `Middleware`, whose methods are the hooks:
//
//	package middleware
//
//	type Polite struct{}
//
//	var Middleware = &Polite{}
//
//	func (polite *Polite) OnSystemPrompt(prompt string) (string, error) {
//		return prompt + " Say please.", nil
//	}
//
// The names are those of the contract: `wit/` has the words on each. What is around a middleware is in the packages
// below this one: `cepa/log`, `cepa/state`, `cepa/http` and so on.
package cepa

import wit "go.bytecodealliance.org/pkg/wit/types"

// Option is a value that may be absent. `SomeOr` reads it, `IsSome` asks for it.
type Option[T any] = wit.Option[T]

// Pair is two values that belong together, such as a name and what it stands for.
type Pair[A, B any] = wit.Tuple2[A, B]

// Some is a value that is there.
func Some[T any](value T) Option[T] {
	return wit.Some(value)
}

// None is a value that is absent.
func None[T any]() Option[T] {
	return wit.None[T]()
}
