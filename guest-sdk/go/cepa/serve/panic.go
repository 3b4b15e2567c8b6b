package serve

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// The author's package, as the build names it.
const author = "middleware"

// What a hook panicked with, and where.
type panicError struct {
	what  string
	trace []string
}

func (err *panicError) Error() string {
	return err.what
}

// Takes a panic, within the deferred function that recovered it.
func caught(panicked any) error {
	what := fmt.Sprint(panicked)
	// The bindings' words.
	if what == "nil handle" {
		what = "a handle is used that was given away or dropped; `Clone` keeps one"
	}
	return &panicError{what: "panic: " + what, trace: trace()}
}

// The author's own frames, innermost first.
func trace() []string {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters)])
	var places []string
	for {
		frame, more := frames.Next()
		if name, own := strings.CutPrefix(frame.Function, author); own && strings.IndexAny(name, "./") == 0 {
			places = append(places, fmt.Sprintf("  at %s:%d, in %s", file(frame.File), frame.Line, name[1:]))
		}
		if !more {
			return places
		}
	}
}

// A path within the author's folder.
func file(path string) string {
	_, within, _ := strings.Cut(path, "/")
	return within
}

// What the log is told of an error: a sentence, and where a panic was.
func told(err error) string {
	var panicked *panicError
	if !errors.As(err, &panicked) {
		return err.Error()
	}
	return strings.Join(append([]string{err.Error()}, panicked.trace...), "\n")
}
