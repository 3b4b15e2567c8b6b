// Package middleware gives the model tools to keep notes: from its own words, or from what a server answers.
package middleware

import (
	"encoding/json"
	"fmt"
	"strings"

	"cepa"
	"cepa/context"
	"cepa/http"
	"cepa/state"
)

// How many characters of an answer are kept.
const kept = 200

type Notes struct{}

var Middleware = &Notes{}

func (notes *Notes) ListTools() ([]cepa.ToolDefinition, error) {
	return []cepa.ToolDefinition{
		tool("add_note", "Keeps a note.", oneText("text")),
		tool("list_notes", "Gives all notes, one a line.", `{"type":"object","additionalProperties":false}`),
		tool("fetch_note", "Keeps the beginning of what is at an address as a note.", oneText("url")),
	}, nil
}

func (notes *Notes) CallTool(request *cepa.ToolRequest, out *cepa.Sink) (*cepa.ToolResponse, error) {
	var given struct{ Text, Url string }
	if err := json.Unmarshal([]byte(request.Arguments()), &given); err != nil {
		return nil, err
	}
	switch name := request.Name(); name {
	case "add_note":
		return note(given.Text)
	case "list_notes":
		all, err := state.GetJSON(state.ScopeLayer, key(), []string{})
		return cepa.ResultOf(strings.Join(all, "\n")), err
	case "fetch_note":
		return fetch(given.Url)
	default:
		return nil, cepa.NewError(cepa.ErrorKindNotFound, fmt.Sprintf("there is no tool `%s`", name))
	}
}

func note(text string) (*cepa.ToolResponse, error) {
	all, err := state.UpdateJSON(state.ScopeLayer, key(), []string{}, func(before []string) []string {
		return append(before, text)
	})
	return cepa.ResultOf(fmt.Sprintf("noted: %d notes", len(all))), err
}

func fetch(url string) (*cepa.ToolResponse, error) {
	body, err := start(url)
	if err != nil {
		return cepa.FailureOf(err.Error()), nil
	}
	// What is no UTF-8 becomes U+FFFD.
	text := []rune(string(body))
	return note(string(text[:min(kept, len(text))]))
}

func start(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	// A character has at most four bytes.
	return answer.ReadStart(4 * kept)
}

// One list for each session.
func key() string {
	return context.SessionId()
}

func tool(name, description, parameters string) cepa.ToolDefinition {
	return cepa.ToolDefinition{Name: name, Description: description, Parameters: parameters}
}

// The schema of arguments that are one text of this name.
func oneText(name string) string {
	const schema = `{"type":"object","properties":{%[1]q:{"type":"string"}},"required":[%[1]q],"additionalProperties":false}`
	return fmt.Sprintf(schema, name)
}
