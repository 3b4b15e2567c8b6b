package state

import (
	"encoding/json"
	"fmt"

	"cepa"
)

const attempts = 16

// GetJSON gives the value of a key, read as JSON; `missing` when there is none.
func GetJSON[T any](scope Scope, key string, missing T) (T, error) {
	text, err := Get(scope, key)
	if err != nil || text.IsNone() {
		return missing, err
	}
	return parse[T](key, text.Some())
}

// SetJSON sets a value, written as JSON.
func SetJSON(scope Scope, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return Set(scope, key, string(text))
}

// UpdateJSON sets the value that `change` makes of the one before, so that no change of another hook is lost, and gives
// it. `change` is given `missing` where there is none, and runs again when the value was changed meanwhile. After 16
// attempts this is `overloaded`.
func UpdateJSON[T any](scope Scope, key string, missing T, change func(before T) T) (T, error) {
	var nothing T
	start, err := json.Marshal(missing)
	if err != nil {
		return nothing, err
	}
	for range attempts {
		value, done, err := update(scope, key, string(start), change)
		if err != nil || done {
			return value, err
		}
	}
	message := fmt.Sprintf("the state `%s` was changed by others %d times in a row", key, attempts)
	return nothing, cepa.NewError(cepa.ErrorKindOverloaded, message)
}

// One attempt, which another hook may have made void.
func update[T any](scope Scope, key, start string, change func(T) T) (value T, done bool, err error) {
	old, err := Get(scope, key)
	if err != nil {
		return value, false, err
	}
	before, err := parse[T](key, old.SomeOr(start))
	if err != nil {
		return value, false, err
	}
	value = change(before)
	text, err := json.Marshal(value)
	if err != nil {
		return value, false, err
	}
	done, err = CompareAndSet(scope, key, old, cepa.Some(string(text)))
	return value, done, err
}

func parse[T any](key, text string) (T, error) {
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return value, cepa.Invalid(fmt.Sprintf("the state `%s` does not fit: %v", key, err))
	}
	return value, nil
}
