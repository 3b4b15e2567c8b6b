package cepa

// OnReply wraps a whole reply: every step, tool call and the final answer.
type OnReply interface {
	// OnReply answers the request, as a rule with what `next` answers. The response holds the final message alone.
	OnReply(request *ReplyRequest, next *ReplyNext, out *Sink) (*ReplyResponse, error)
}

// OnReasoning wraps one step's reasoning: prompt assembly, model call, decoding.
type OnReasoning interface {
	// OnReasoning answers the request, as a rule with what `next` answers.
	OnReasoning(request *ReasoningRequest, next *ReasoningNext, out *Sink) (*ReasoningResponse, error)
}

// OnModelCall wraps one request to a model.
type OnModelCall interface {
	// OnModelCall answers the request, as a rule with what `next` answers.
	OnModelCall(request *ModelRequest, next *ModelNext, out *Sink) (*ModelResponse, error)
}

// OnActing wraps one tool execution.
type OnActing interface {
	// OnActing answers the request, as a rule with what `next` answers. An error becomes an error result.
	OnActing(request *ToolRequest, next *ToolNext, out *Sink) (*ToolResponse, error)
}

// OnCompressContext wraps the check, before each step, whether to compress the context, and the compression.
type OnCompressContext interface {
	// OnCompressContext answers the request, as a rule with what `next` answers.
	OnCompressContext(request *CompressRequest, next *CompressNext, out *Sink) (*CompressResponse, error)
}

// OnCheckPermission wraps the decision whether a tool call may run.
type OnCheckPermission interface {
	// OnCheckPermission decides. An error counts as a denial.
	OnCheckPermission(request *PermissionRequest, next *PermissionNext) (PermissionDecision, error)
}

// OnSystemPrompt rewrites the assembled system prompt, passed from layer to layer in list order.
type OnSystemPrompt interface {
	// OnSystemPrompt gives the prompt to pass on.
	OnSystemPrompt(prompt string) (string, error)
}

// OnEvents filters the reply's event stream. What keeps text from the reader must take the kind `revision` beside
// `text`.
type OnEvents interface {
	// Kinds are the kinds of event to be given; others pass by. Asked once, at the start of a reply.
	Kinds() EventKinds
	// OnEvents takes the 1 to 64 events that are ready and gives what goes on.
	OnEvents(events []Event) ([]Event, error)
}

// OnDraft reviews the final answer before it is stored. Its text has been streamed by then.
type OnDraft interface {
	// OnDraft accepts the draft, replaces it, or has the model asked again.
	OnDraft(draft *Draft) (Verdict, error)
}

// ToolSource contributes tools.
type ToolSource interface {
	// ListTools gives the tools. Asked once, when the agent is built.
	ListTools() ([]ToolDefinition, error)
	// CallTool runs one of them. What it sends as `tool-result-text` and `tool-result-data` is shown as it comes.
	CallTool(request *ToolRequest, out *Sink) (*ToolResponse, error)
}

// OnTurnEnd is told how each reply ended: exactly once, on every path.
type OnTurnEnd interface {
	// OnTurnEnd watches: nothing that happens here changes the reply.
	OnTurnEnd(turn *TurnSummary)
}

// MigrateState takes over the state that another version of the middleware left.
type MigrateState interface {
	// MigrateState brings the state of the scope `layer` into this version's form. An error stops the exchange.
	MigrateState(fromConfig string) error
}

// Prepare gets a middleware ready, once an instance, when its configuration is there. No middleware must have it.
type Prepare interface {
	// Prepare may look at the configuration and derive from it. Its error is answered by every hook.
	Prepare() error
}
