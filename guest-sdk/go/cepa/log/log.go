package log

import "fmt"

// Debugf is for whoever looks for a fault.
func Debugf(format string, values ...any) {
	Write(LevelDebug, fmt.Sprintf(format, values...))
}

// Infof says what the layer did.
func Infof(format string, values ...any) {
	Write(LevelInfo, fmt.Sprintf(format, values...))
}

// Warnf says what is odd, and went well.
func Warnf(format string, values ...any) {
	Write(LevelWarn, fmt.Sprintf(format, values...))
}

// Errorf says what went wrong.
func Errorf(format string, values ...any) {
	Write(LevelError, fmt.Sprintf(format, values...))
}
