// The contract's types. Written by `write-types` from `wit/`; a change belongs there.

/** Who speaks in a message. */
export type Role =
  /** Instructions to the model. Appears in no stored conversation: the prompt is assembled anew for each step. */
  | "system"
  /** A person, or the program that speaks for one. */
  | "user"
  /** The model. */
  | "assistant"
  /** The results of tool calls. */
  | "tool";

/**
 * How an error is to be treated.
 *
 * `aborted` and `fault` are the host's to say. In an error that a layer makes up itself they count as `other`.
 */
export type ErrorKind =
  /** The caller's value can't be used: malformed JSON, a range out of bounds, an unknown name. */
  | "invalid-input"
  /** No such message, tool, model or key. */
  | "not-found"
  /** The capability or the object was not granted. */
  | "denied"
  /** A limit was reached; the message names it, its value and what was used. */
  | "limit"
  /** Something took too long. */
  | "timeout"
  /** The provider asks to slow down; see `retry-after-ms`. */
  | "rate-limited"
  /** The provider can't serve now. */
  | "overloaded"
  /** The provider refused the key. */
  | "authentication"
  /** The request is larger than the model's context. */
  | "context-overflow"
  /** The provider refused the content. */
  | "content-filter"
  /** The connection failed or was cut. */
  | "connection"
  /** The provider or a server answered with what can't be understood or with a failure of its own. */
  | "upstream"
  /** The reply was aborted. Cannot be swallowed: whatever a layer answers, the reply ends as aborted. */
  | "aborted"
  /** An inner layer broke a rule (trap, deadline, memory, bad output) and its policy is to fail. */
  | "fault"
  /** Not offered by this host, provider or model. */
  | "unsupported"
  /** Raised by a middleware or a tool for reasons of its own. */
  | "rejected"
  /** A defect of the host or of the middleware. */
  | "internal"
  /** None of these; `code` says which. */
  | "other";

/** What went wrong. Carries no host path, no address and no other layer's name. */
export interface ErrorRecord {
  /** How it is to be treated. */
  kind: ErrorKind;
  /** A finer, stable word in kebab case, or empty. For `other` the kind itself, for `limit` the limit's name. */
  code: string;
  /** One sentence for a person. */
  message: string;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  retryAfterMs: number | null;
  /** The HTTP status, where there was one. */
  status: number | null;
}

/** Where the bytes of a data block are. */
export type DataSource =
  /** The bytes themselves. */
  | { tag: "bytes"; val: Uint8Array }
  /** An address that the model's provider fetches. The host fetches nothing. */
  | { tag: "url"; val: string };

/** An image, a sound or a file. */
export interface DataBlock {
  /** An IANA media type, for example `image/png`. */
  mediaType: string;
  /** The bytes, or where they are. */
  source: DataSource;
  /** A file name, where one is known. */
  name: string | null;
}

/** What a model thought before it answered. */
export interface ThinkingBlock {
  /** The thought; empty where the provider hides it. */
  text: string;
  /** The provider's proof that the text is its own; sent back unchanged. */
  signature: string | null;
}

/** A remark of a layer to the model, which sees it as a user message. */
export interface HintBlock {
  /** Who remarks, for example `budget`. For people: a model is not told. */
  source: string;
  /** The remark. */
  text: string;
}

/** A model's wish to have a tool run. */
export interface ToolCall {
  /**
   * Unique within the conversation. As a rule the provider's; the host gives another where one is missing or
   * repeated.
   */
  id: string;
  /** The tool's name, which may be of no tool: then the call has an error as its result. */
  name: string;
  /** A JSON object as text, as the model wrote it; may be malformed, and then the call does not run. */
  arguments: string;
}

/** How a tool call ended. */
export type ToolState =
  /** The tool answered. */
  | "success"
  /** The tool failed, or the call could not be run. */
  | "error"
  /** A rule, a layer or a person refused it. */
  | "denied"
  /** The reply was aborted before it ended. */
  | "interrupted"
  /** It waits for a person or for a program outside. No result yet, and no error. */
  | "parked";

/** A part of a kind that this version of the contract does not name, for example a link. */
export interface OtherPart {
  /** Its kind in kebab case, for example `resource-link`. For layers: a model is not told. */
  name: string;
  /** A JSON value as text. A model and a reader are given just this; malformed JSON is refused as `invalid-input`. */
  json: string;
}

/** One piece of what a tool answered. */
export type ResultPart =
  /** Text. */
  | { tag: "text"; val: string }
  /** An image, a sound or a file. Where a provider takes none in a result, it follows the results in a user message. */
  | { tag: "data"; val: DataBlock }
  /** Anything else. */
  | { tag: "other"; val: OtherPart };

/** What a tool call ended with. */
export interface ToolResult {
  /** The `id` of the call. */
  callId: string;
  /** The tool that was called. */
  name: string;
  /** How the call ended. A call that waits has no result yet. */
  state: ToolState;
  /** What the tool answered, or why it could not. */
  content: ResultPart[];
}

/** A block of a kind that this version of the contract does not name. */
export interface OtherBlock {
  /** Its kind in kebab case, for example `redacted-thinking`. */
  name: string;
  /**
   * A JSON value as text; malformed JSON is refused as `invalid-input`. A provider gets its own blocks back, and
   * none of another's.
   */
  json: string;
}

/** One block of a message. */
export type ContentBlock =
  /** Text. */
  | { tag: "text"; val: string }
  /** What a model thought. Goes back to the provider that it came from. */
  | { tag: "thinking"; val: ThinkingBlock }
  /** An image, a sound or a file. */
  | { tag: "data"; val: DataBlock }
  /** A remark of a layer. */
  | { tag: "hint"; val: HintBlock }
  /** A call of a tool. Stands in messages of the role `assistant` alone. */
  | { tag: "tool-call"; val: ToolCall }
  /** The result of a call. Stands in messages of the role `tool` alone, behind its call. */
  | { tag: "tool-result"; val: ToolResult }
  /** Anything else. */
  | { tag: "other"; val: OtherBlock };

/** One message of a conversation. */
export interface Message {
  /** Unique within the session. Leave it empty in a new message: the host fills it when the message is stored. */
  id: string;
  /** Who speaks. */
  role: Role;
  /** The speaker's name, where the provider supports one. */
  name: string | null;
  /** What is said, block by block, in order. */
  content: ContentBlock[];
  /** A JSON object as text; empty counts as `{}`, and `{}` is given as empty. Stored, and never sent to a model. */
  metadata: string;
}

/** A tool as a model sees it. */
export interface ToolDefinition {
  /** What the model calls it by. Not empty, and unique among the tools. */
  name: string;
  /** What it does, for the model. */
  description: string;
  /** A JSON Schema of an object, as text. Arguments that do not match it are not run. */
  parameters: string;
  /** Whether calls may run beside other calls of the same step. */
  parallel: boolean;
  /** A JSON object as text; empty counts as `{}`, and `{}` is given as empty. Never sent to a model. */
  metadata: string;
}

/** Whether the model may, must or must not call a tool. */
export type ToolChoice =
  /** The model decides. */
  | { tag: "auto" }
  /** It must not; a call all the same is answered with an error. */
  | { tag: "none" }
  /** It must call some tool. */
  | { tag: "required" }
  /** It must call exactly this tool, which must be among those offered. */
  | { tag: "named"; val: string };

/** Tokens of one or of several model calls. An absent count is unknown, which is not zero. */
export interface Usage {
  /** All input tokens, those read from a cache included. */
  inputTokens: number | null;
  /** All output tokens, those spent on thinking included. */
  outputTokens: number | null;
  /** Input tokens that were read from the provider's cache. */
  cacheReadTokens: number | null;
  /** Input tokens that were written to the provider's cache. */
  cacheWriteTokens: number | null;
  /** Output tokens spent on thinking. */
  reasoningTokens: number | null;
  /** Other counts that the provider reports, by its own names. */
  details: [string, number][];
}

/** Why a model stopped. */
export type FinishReason =
  /** It was done. */
  | "stop"
  /** The output limit was reached. Calls whose arguments were cut are never run. */
  | "length"
  /** It asks for tools. */
  | "tool-calls"
  /** The provider held the rest back. */
  | "content-filter"
  /** Anything else; the model call failed, for one. */
  | "other";

/** How a reply ended. */
export type Outcome =
  /** With a final answer. */
  | "replied"
  /** With nothing to say. */
  | "silent"
  /** Aborted by its caller. */
  | "aborted"
  /** With an error. */
  | "failed"
  /** It waits for a person or for a tool that runs outside. */
  | "parked";

/** Kinds of event, to ask for some of them. */
export interface EventKinds {
  /** `text-start`, `text-delta`, `text-end`. */
  text?: boolean;
  /** `thinking-start`, `thinking-delta`, `thinking-end`. */
  thinking?: boolean;
  /** `data-start`, `data-delta`, `data-end`. */
  data?: boolean;
  /** `hint`. */
  hint?: boolean;
  /** `tool-call-start`, `tool-call-delta`, `tool-call-end`. */
  toolCall?: boolean;
  /** `tool-result-start`, `tool-result-text`, `tool-result-data`, `tool-result-end`. */
  toolResult?: boolean;
  /** `model-call-start`, `model-call-end`. */
  modelCall?: boolean;
  /** `reply-start`, `reply-end`. */
  reply?: boolean;
  /** `withdrawn`, `message-replaced`, `tool-call-replaced`: what corrects earlier events. */
  revision?: boolean;
  /** `other`. */
  other?: boolean;
}

/** A piece of the text of a block. */
export interface TextDelta {
  /** The block's id, as its start event gave it. Never a call's. */
  id: string;
  /** What is added at the end of the block. */
  text: string;
}

/** A block of bytes begins. */
export interface DataStart {
  /** The block's id. */
  id: string;
  /** An IANA media type, for example `image/png`. */
  mediaType: string;
}

/** A piece of the bytes of a block. */
export interface DataDelta {
  /** The block's id, as its start event gave it. */
  id: string;
  /** What is added at the end of the block. */
  bytes: Uint8Array;
}

/** A remark of a layer to the model, shown once. */
export interface Hint {
  /** The remark's own id. */
  id: string;
  /** Who remarks. */
  source: string;
  /** The remark. */
  text: string;
}

/** A tool call or its result begins. */
export interface ToolStart {
  /** The `id` of the tool call. */
  callId: string;
  /** The tool. */
  name: string;
}

/** A piece of the arguments of a tool call, or of the text that a tool answered. */
export interface ToolText {
  /** The `id` of the tool call. */
  callId: string;
  /** What is added at the end. */
  text: string;
}

/** Bytes that a tool answered: a whole part of its result. */
export interface ToolData {
  /** The `id` of the tool call. */
  callId: string;
  /** An IANA media type, for example `image/png`. */
  mediaType: string;
  /** All bytes of the part. */
  bytes: Uint8Array;
}

/** A tool call ended. */
export interface ToolEnd {
  /** The `id` of the tool call. */
  callId: string;
  /** How it ended. */
  state: ToolState;
}

/** A model is asked. */
export interface ModelCallStart {
  /** The id of the model call, which the host makes; the response has the same. */
  id: string;
  /** The model's name at its provider. */
  model: string;
}

/** A model has answered, or failed. */
export interface ModelCallEnd {
  /** The id of the model call. */
  id: string;
  /** Why the model stopped; `other` when the call failed. */
  finishReason: FinishReason;
  /** Absent when the provider reported nothing. */
  usage: Usage | null;
  /** Why the call failed; absent when the model answered. */
  error: ErrorRecord | null;
}

/** A reply begins. */
export interface ReplyStart {
  /** The reply's id. */
  replyId: string;
  /** The session that it belongs to. */
  sessionId: string;
  /** The agent that replies. */
  agentName: string;
}

/** A reply ended. */
export interface ReplyEnd {
  /** The reply's id. */
  replyId: string;
  /** How it ended. */
  outcome: Outcome;
  /** Why it failed, or what went wrong beside an abort; else absent. */
  error: ErrorRecord | null;
}

/** An event of a kind that this version of the contract does not name, or of a layer's own. */
export interface OtherEvent {
  /** Its kind in kebab case. */
  name: string;
  /** A JSON value as text. Malformed JSON is refused as `invalid-input`. */
  json: string;
}

/** One event. */
export type Event =
  /** A reply begins: its first event. A parked reply that goes on has none. */
  | { tag: "reply-start"; val: ReplyStart }
  /** A reply ended: its last event. */
  | { tag: "reply-end"; val: ReplyEnd }
  /** A model is asked. What it says belongs to this call until its end. */
  | { tag: "model-call-start"; val: ModelCallStart }
  /** A model has answered, or failed. */
  | { tag: "model-call-end"; val: ModelCallEnd }
  /** A text block begins; the payload is its id. */
  | { tag: "text-start"; val: string }
  /** A piece of a text block. */
  | { tag: "text-delta"; val: TextDelta }
  /** A text block is complete; the payload is its id. */
  | { tag: "text-end"; val: string }
  /** A thinking block begins; the payload is its id. */
  | { tag: "thinking-start"; val: string }
  /** A piece of a thinking block. */
  | { tag: "thinking-delta"; val: TextDelta }
  /** A thinking block is complete; the payload is its id. */
  | { tag: "thinking-end"; val: string }
  /** A block of bytes begins. */
  | { tag: "data-start"; val: DataStart }
  /** A piece of a block of bytes. */
  | { tag: "data-delta"; val: DataDelta }
  /** A block of bytes is complete; the payload is its id. */
  | { tag: "data-end"; val: string }
  /** A layer remarks something to the model. */
  | { tag: "hint"; val: Hint }
  /** A model begins to ask for a tool. That it asks does not yet mean that the tool runs. */
  | { tag: "tool-call-start"; val: ToolStart }
  /** A fragment of the JSON arguments. */
  | { tag: "tool-call-delta"; val: ToolText }
  /** The arguments are complete; the payload is the call's id. */
  | { tag: "tool-call-end"; val: string }
  /** The result of a call begins. */
  | { tag: "tool-result-start"; val: ToolStart }
  /**
   * A piece of the text of a result. Parts without an event of their own come as text: addresses, and other kinds as
   * JSON.
   */
  | { tag: "tool-result-text"; val: ToolText }
  /** A part of a result that is bytes. */
  | { tag: "tool-result-data"; val: ToolData }
  /** The result is complete. */
  | { tag: "tool-result-end"; val: ToolEnd }
  /**
   * Everything since the start of a model call or of a tool result is void, as if never sent. The payload is the
   * `id` of that `model-call-start`, or the `call-id` of that `tool-result-start`. A tool call is withdrawn with its
   * model call.
   */
  | { tag: "withdrawn"; val: string }
  /** A message differs from what was streamed of it; this is what holds. Not only the final one: each step has one. */
  | { tag: "message-replaced"; val: Message }
  /** A layer or a person changed a call; this is what runs. */
  | { tag: "tool-call-replaced"; val: ToolCall }
  /** An event of another kind. A reader who does not know its name passes over it. */
  | { tag: "other"; val: OtherEvent };

/** The input of one reply. */
export class ReplyRequest {
  private constructor();
  /** A request of its own with the same content. */
  clone(): ReplyRequest;
  /** The new messages. Empty when a parked reply is resumed. */
  input(): Message[];
  /**
   * Replaces the new messages. Only the roles user and assistant are accepted, no tool calls or tool results, and
   * not nothing; at most 4 MiB of text. A resumed reply takes none. Else `invalid-input`.
   */
  setInput(messages: Message[]): void;
  /** Whether this goes on with a parked reply. */
  resumed(): boolean;
  /** The JSON Schema that the final answer must match, as text; absent when any answer will do. */
  outputSchema(): string | null;
  /**
   * Asks for an answer that matches another JSON Schema, or with none for any answer. What is no JSON Schema is
   * `invalid-input`; nothing that it refers to elsewhere is fetched.
   */
  setOutputSchema(schema: string | null): void;
  /** Whether the model may call tools. `required` and a named tool hold until the first tool call. */
  toolChoice(): ToolChoice;
  /** Sets whether the model may call tools. A named tool that is not offered is the error of the model call. */
  setToolChoice(choice: ToolChoice): void;
  /** A value that the caller or an outer layer attached, as JSON text; absent for an unknown key. */
  metadata(key: string): string | null;
  /**
   * Attaches a value, JSON as text, or with none takes the key off. A parked reply that goes on has the values of
   * then.
   */
  setMetadata(key: string, value: string | null): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** The result of one reply. */
export class ReplyResponse {
  /**
   * An answer of the layer's own, with the outcome `replied`: a layer that wants a reply to fail answers an error.
   * What is wrong with the content is the error of the hook that returns it.
   */
  constructor(content: ContentBlock[]);
  /** A response of its own with the same content. */
  clone(): ReplyResponse;
  /** How the reply ended inside this layer. */
  outcome(): Outcome;
  /** The final message; absent unless the outcome is `replied`. */
  message(): Message | null;
  /** The text of the final message, its text blocks joined; empty when there is none. */
  text(): string;
  /**
   * Replaces the content of the final message; `invalid-input` when there is none. It must hold neither tool calls
   * nor results, else the reply fails. `structured-output` of this handle stays as it was.
   */
  setContent(content: ContentBlock[]): void;
  /** The answer as JSON text, when the request asked for a schema. */
  structuredOutput(): string | null;
  /** Why the reply failed; absent when it did not. */
  error(): ErrorRecord | null;
  /**
   * Tokens of all model calls of the reply, internal ones included. All unknown in an answer of a layer's own; at
   * the end the host tells those of the whole reply.
   */
  usage(): Usage;
  /** How many steps it took; 0 in an answer of a layer's own. */
  steps(): number;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** One step's reasoning: what is to be asked of the model. */
export class ReasoningRequest {
  private constructor();
  /** A request of its own with the same content. */
  clone(): ReasoningRequest;
  /** The step, from 1. */
  step(): number;
  /** Whether the model may call tools in this step. */
  toolChoice(): ToolChoice;
  /** Sets it for this step alone. A named tool that is not offered is the error of the model call. */
  setToolChoice(choice: ToolChoice): void;
  /** The names of the tools to be offered. */
  tools(): string[];
  /**
   * Offers only these in this step. A name that is not in the catalogue is `not-found`, one that is there twice
   * `invalid-input`.
   */
  setTools(names: string[]): void;
  /**
   * Hints for this step alone, each its source and its text: the model sees them after the conversation, and they
   * are not stored. First those of layers outside.
   */
  hints(): [string, string][];
  /** Adds a hint behind those that are there. The event `hint` shows it before the model is asked. */
  addHint(source: string, text: string): void;
  /**
   * A parameter of the model request, as JSON text; absent when it is not set. The names are those of
   * `model-request.parameter`.
   */
  parameter(name: string): string | null;
  /** Sets a parameter for this step, JSON as text, or with none takes it off. */
  setParameter(name: string, value: string | null): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** What one step's reasoning came to. */
export class ReasoningResponse {
  /** An answer of the layer's own. What is wrong with the content is the error of the hook that returns it. */
  constructor(content: ContentBlock[]);
  /** A response of its own with the same content. */
  clone(): ReasoningResponse;
  /** What the model said. Its id is given when the message is stored. */
  message(): Message;
  /** The text blocks of the message, joined. */
  text(): string;
  /** The tool calls among the blocks of the message, in order. */
  toolCalls(): ToolCall[];
  /**
   * Replaces the whole content, tool calls included: a call that is not in it is not run, one that is new in it is.
   * Tool results in it are an error of the step. `usage` and `finish-reason` stay as they were.
   */
  setContent(content: ContentBlock[]): void;
  /** Tokens of the model call; absent when none was made or the provider reported nothing. */
  usage(): Usage | null;
  /** Why the model stopped. In an answer of a layer's own `tool-calls` when it was made with calls, else `stop`. */
  finishReason(): FinishReason;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/**
 * One request to a model.
 *
 * Edits may tear its conversation apart for a while. When it is run, each tool call must have its result behind it
 * and each result its call, in messages of their own roles; else the run is an error, and no model is asked.
 */
export class ModelRequest {
  /** An empty request to the model with this alias. */
  constructor(model: string);
  /** A request of its own with the same content. */
  clone(): ModelRequest;
  /** The alias of the model in the manifest. */
  model(): string;
  /** Takes another model. An unknown alias is `not-found` when the request is run. */
  setModel(alias: string): void;
  /** The assembled system prompt; absent when there is none. */
  systemPrompt(): string | null;
  /** Replaces the system prompt of this request, or with none takes it off. */
  setSystemPrompt(prompt: string | null): void;
  /** How many messages the conversation of this request has. */
  messageCount(): number;
  /** The message at an index from 0. */
  message(index: number): Message;
  /** All messages, in order. */
  messages(): Message[];
  /** Replaces all messages. What is stored of the conversation stays as it is, as with each edit of this request. */
  setMessages(messages: Message[]): void;
  /** Puts a message at the end. */
  pushMessage(message: Message): void;
  /** Puts a message before the one at `index`; `index` may be the count. */
  insertMessage(index: number, message: Message): void;
  /** Puts a message in the place of the one at `index`. */
  replaceMessage(index: number, message: Message): void;
  /** Removes the message at `index`; those behind it move up. */
  removeMessage(index: number): void;
  /** The offered tools. */
  tools(): ToolDefinition[];
  /**
   * Replaces the offered tools, at most 1,024, each with a name of its own. A tool that is not offered cannot be
   * called.
   */
  setTools(tools: ToolDefinition[]): void;
  /** Whether the model may call the offered tools. */
  toolChoice(): ToolChoice;
  /** Sets it for this request. A named tool that is not offered is `invalid-input` when the request is run. */
  setToolChoice(choice: ToolChoice): void;
  /** The JSON Schema that the provider is told of, as text; absent when there is none. */
  outputSchema(): string | null;
  /**
   * Tells the provider of another JSON Schema, or with none of none. The final answer is checked against that of the
   * reply all the same.
   */
  setOutputSchema(schema: string | null): void;
  /**
   * A parameter as JSON text; absent when it is not set. `temperature`, `top-p`, `max-tokens`, `stop`, `seed`,
   * `reasoning-effort`, or a name of the provider's own.
   */
  parameter(name: string): string | null;
  /** All parameters, each its name and its value as JSON text. */
  parameters(): [string, string][];
  /**
   * Sets a parameter, JSON as text, or with none takes it off. `null` takes out of the request what the host itself
   * would send under the name. A name that follows from the request, such as `messages`, is the error of the run.
   */
  setParameter(name: string, value: string | null): void;
  /** Whether a layer made this call for itself: counted, and not streamed to the user. */
  internal(): boolean;
  /** A value that an outer layer attached, as JSON text; absent for an unknown key. Never sent to a model. */
  metadata(key: string): string | null;
  /** Attaches a value for the layers inside, JSON as text, or with none takes the key off. */
  setMetadata(key: string, value: string | null): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** What a model answered. */
export class ModelResponse {
  /**
   * An answer of the layer's own, for example from a cache. What is wrong with the content is the error of the hook
   * that returns it.
   */
  constructor(content: ContentBlock[]);
  /** A response of its own with the same content. */
  clone(): ModelResponse;
  /** The id of the model call; empty for an answer of a layer's own. */
  id(): string;
  /** The alias that answered; empty for an answer of a layer's own. */
  model(): string;
  /** The name that the provider gave of the model; absent when it gave none. */
  reportedModel(): string | null;
  /** `openai`, `anthropic`, `scripted`, or empty. */
  provider(): string;
  /** What the model said. Its id is given when the message is stored. */
  message(): Message;
  /** The text blocks of the message, joined. */
  text(): string;
  /** The tool calls among the blocks of the message, in order. */
  toolCalls(): ToolCall[];
  /**
   * Replaces the whole content, tool calls included: a call that is not in it is not run, one that is new in it is.
   * Tool results in it are an error of the step. `usage` and `finish-reason` stay as they were.
   */
  setContent(content: ContentBlock[]): void;
  /** Tokens of this call; absent when the provider reported nothing, and in an answer of a layer's own. */
  usage(): Usage | null;
  /** Why the model stopped. In an answer of a layer's own `tool-calls` when it was made with calls, else `stop`. */
  finishReason(): FinishReason;
  /** A value that the model's adapter or an inner layer attached, as JSON text; absent for an unknown key. */
  metadata(key: string): string | null;
  /** Attaches a value for the layers outside, JSON as text, or with none takes the key off. Not stored. */
  setMetadata(key: string, value: string | null): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** One tool execution. */
export class ToolRequest {
  private constructor();
  /** A request of its own with the same content. */
  clone(): ToolRequest;
  /** The `id` of the call. It stays whatever else is changed. */
  callId(): string;
  /** The tool to be run. */
  name(): string;
  /**
   * Takes another tool. A changed call is validated and authorised again before it runs; one of a tool that is not
   * offered is answered by a response of the state `error`.
   */
  setName(name: string): void;
  /** The arguments, a JSON object as text. */
  arguments(): string;
  /**
   * Replaces the arguments; what is no JSON object is `invalid-input`. Those that do not match the tool's parameters
   * are answered by a response of the state `error`.
   */
  setArguments(arguments: string): void;
  /** The definition of the named tool; absent when it is not offered. */
  definition(): ToolDefinition | null;
  /**
   * A value that an outer layer attached, as JSON text; absent for an unknown key. No tool gets it but a
   * middleware's.
   */
  metadata(key: string): string | null;
  /** Attaches a value for the layers inside, JSON as text, or with none takes the key off. */
  setMetadata(key: string, value: string | null): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** What a tool answered. */
export class ToolResponse {
  /**
   * An answer of the layer's own. What is wrong with the content is the error of the hook that returns it. To return
   * `parked` is a fault: only a tool can park.
   */
  constructor(state: ToolState, content: ResultPart[]);
  /** A response of its own with the same content. */
  clone(): ToolResponse;
  /** How the call ended. */
  state(): ToolState;
  /** What the tool answered, part by part, in order. */
  content(): ResultPart[];
  /** The text parts, joined, without the JSON of other parts. */
  text(): string;
  /** Replaces the whole content, data and other parts included. The state stays as it was. */
  setContent(content: ResultPart[]): void;
  /**
   * A value that the tool or an inner layer attached, as JSON text; absent for an unknown key. What an MCP server
   * answers as structured content is in `structured-content`.
   */
  metadata(key: string): string | null;
  /**
   * Attaches a value for the layers outside, JSON as text, or with none takes the key off. Not stored, and not sent
   * to a model.
   */
  setMetadata(key: string, value: string | null): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** The check whether to compress the context, before each step. */
export class CompressRequest {
  private constructor();
  /** A request of its own with the same content. */
  clone(): CompressRequest;
  /** The step that is about to begin, from 1. */
  step(): number;
  /** How many messages the conversation has. */
  messageCount(): number;
  /** An estimate of the tokens of the next request: prompt, tools and conversation, of which four bytes count as one. */
  estimatedTokens(): number;
  /** The size of the model's context in tokens, where the manifest says it. */
  contextTokens(): number | null;
  /** What the compression is told to keep; absent unless an outer layer said it. */
  instructions(): string | null;
  /** Tells the layers inside what to keep, or with none nothing. */
  setInstructions(text: string | null): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** What the check came to. */
export class CompressResponse {
  /** For a layer that compressed the conversation itself, by `conversation.replace`. */
  constructor(compressed: boolean, summary: string | null);
  /** A response of its own with the same content. */
  clone(): CompressResponse;
  /** Whether the conversation was compressed. The host itself never does. */
  compressed(): boolean;
  /** What stands for the removed part, where a layer says it. */
  summary(): string | null;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** The question whether a tool call may run. Read only: a decision can't change what is run. */
export class PermissionRequest {
  private constructor();
  /** A request of its own with the same content. */
  clone(): PermissionRequest;
  /** The call as it would run. */
  call(): ToolCall;
  /** The definition of its tool; absent when there is no such tool. */
  definition(): ToolDefinition | null;
  /** Whether a person has confirmed this very call. */
  confirmed(): boolean;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** What is to happen with a tool call. */
export type Permission =
  /** It runs. */
  | "allow"
  /** A person decides; the reply parks. A call that a person has confirmed already runs. */
  | "ask"
  /** It does not run, and its result says why. */
  | "deny";

/** A decision and its reason. A denial by the operator's rules stands whatever a layer decides. */
export interface PermissionDecision {
  /** What is to happen. */
  permission: Permission;
  /** Shown to the person asked, and to the model on a denial. */
  reason: string;
}

/** The final answer before it goes out. */
export class Draft {
  private constructor();
  /** The answer, as the layers before have left it. */
  message(): Message;
  /** The text blocks of the answer, joined. */
  text(): string;
  /**
   * The model's answer as JSON text, when the reply asked for a schema. What a layer before put in its place does
   * not show here.
   */
  structuredOutput(): string | null;
  /** The attempt, from 1. */
  attempt(): number;
  /** How many attempts there are at most. */
  maxAttempts(): number;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** What is to happen with a draft. */
export type Verdict =
  /** It goes on as it is, to the next layer or out. */
  | { tag: "accept" }
  /**
   * This goes on instead. It must hold neither tool calls nor results, and match the schema that the reply asked
   * for.
   */
  | { tag: "replace"; val: ContentBlock[] }
  /** The model is asked again with this feedback. After the last attempt nothing goes out. */
  | { tag: "retry"; val: string };

/** How a reply ended, for those who watch. */
export class TurnSummary {
  private constructor();
  /** How it ended. */
  outcome(): Outcome;
  /** The final message as it was stored; absent when there is none. */
  message(): Message | null;
  /** Why it failed, or what went wrong beside an abort; else absent. */
  error(): ErrorRecord | null;
  /** Tokens of all its model calls so far, internal ones included. */
  usage(): Usage;
  /** How many steps it took, those before it parked included. */
  steps(): number;
  /** How many tool calls ended since the reply began or went on. */
  toolCalls(): number;
  /** Since the reply began or went on, in milliseconds. */
  durationMs(): number;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Takes events outward. */
export class Sink {
  private constructor();
  /**
   * Sends events in order. Waits while the outer side is busy.
   *
   * What tells of model calls, tool calls, their results and corrections is the host's to say. A layer passes on
   * those that a run gave it, unchanged and in order, or keeps them back; of a result it may change what was
   * answered, and of a replaced message the words. It may withdraw what has begun inside it. Anything else of these
   * kinds is an error value, and the events before it have been sent.
   */
  emit(events: Event[]): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Runs the reply: every step, tool call and the final answer. */
export class ReplyNext {
  private constructor();
  /**
   * Runs what is inside and passes its events on. What is inside answers the error; one run more than the layer's
   * limit `next-runs` is `limit`, and after an abort each is `aborted`.
   */
  run(request: ReplyRequest): ReplyResponse;
  /**
   * Starts what is inside and gives its events to this layer. What hinders the start is the error of `finish`, and
   * `next` of such a run is empty at once.
   */
  start(request: ReplyRequest): ReplyRun;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** A run whose events this layer reads. Dropping it cancels the run. */
export class ReplyRun {
  private constructor();
  /**
   * The next 1 to 64 ready events of these kinds, waiting for the first; empty at the end, and when nobody reads
   * outside any more. Events of other kinds pass by in order, each only once this layer asks for more.
   */
  next(kinds: EventKinds): Event[];
  /** The response, or the error of what is inside. Unread events pass by. A second call is `invalid-input`. */
  finish(): ReplyResponse;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Runs the step's reasoning. */
export class ReasoningNext {
  private constructor();
  /**
   * Runs what is inside and passes its events on. What is inside answers the error; one run more than the layer's
   * limit `next-runs` is `limit`, and after an abort each is `aborted`.
   */
  run(request: ReasoningRequest): ReasoningResponse;
  /**
   * Starts what is inside and gives its events to this layer. What hinders the start is the error of `finish`, and
   * `next` of such a run is empty at once.
   */
  start(request: ReasoningRequest): ReasoningRun;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** A run whose events this layer reads. Dropping it cancels the run. */
export class ReasoningRun {
  private constructor();
  /**
   * The next 1 to 64 ready events of these kinds, waiting for the first; empty at the end, and when nobody reads
   * outside any more. Events of other kinds pass by in order, each only once this layer asks for more.
   */
  next(kinds: EventKinds): Event[];
  /** The response, or the error of what is inside. Unread events pass by. A second call is `invalid-input`. */
  finish(): ReasoningResponse;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Runs the model call. */
export class ModelNext {
  private constructor();
  /**
   * Runs what is inside and passes its events on. What is inside answers the error; one run more than the layer's
   * limit `next-runs` is `limit`, and after an abort each is `aborted`.
   */
  run(request: ModelRequest): ModelResponse;
  /**
   * Starts what is inside and gives its events to this layer. What hinders the start is the error of `finish`, and
   * `next` of such a run is empty at once.
   */
  start(request: ModelRequest): ModelRun;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** A run whose events this layer reads. Dropping it cancels the run. */
export class ModelRun {
  private constructor();
  /**
   * The next 1 to 64 ready events of these kinds, waiting for the first; empty at the end, and when nobody reads
   * outside any more. Events of other kinds pass by in order, each only once this layer asks for more.
   */
  next(kinds: EventKinds): Event[];
  /** The response, or the error of what is inside. Unread events pass by. A second call is `invalid-input`. */
  finish(): ModelResponse;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Runs the tool execution. */
export class ToolNext {
  private constructor();
  /**
   * Runs what is inside and passes its events on. What is inside answers the error; one run more than the layer's
   * limit `next-runs` is `limit`, and after an abort each is `aborted`.
   */
  run(request: ToolRequest): ToolResponse;
  /**
   * Starts what is inside and gives its events to this layer. What hinders the start is the error of `finish`, and
   * `next` of such a run is empty at once.
   */
  start(request: ToolRequest): ToolRun;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** A run whose events this layer reads. Dropping it cancels the run. */
export class ToolRun {
  private constructor();
  /**
   * The next 1 to 64 ready events of these kinds, waiting for the first; empty at the end, and when nobody reads
   * outside any more. Events of other kinds pass by in order, each only once this layer asks for more.
   */
  next(kinds: EventKinds): Event[];
  /** The response, or the error of what is inside. Unread events pass by. A second call is `invalid-input`. */
  finish(): ToolResponse;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Runs the check and the compression. */
export class CompressNext {
  private constructor();
  /**
   * Runs what is inside and passes its events on. What is inside answers the error; one run more than the layer's
   * limit `next-runs` is `limit`, and after an abort each is `aborted`.
   */
  run(request: CompressRequest): CompressResponse;
  /**
   * Starts what is inside and gives its events to this layer. What hinders the start is the error of `finish`, and
   * `next` of such a run is empty at once.
   */
  start(request: CompressRequest): CompressRun;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** A run whose events this layer reads. Dropping it cancels the run. */
export class CompressRun {
  private constructor();
  /**
   * The next 1 to 64 ready events of these kinds, waiting for the first; empty at the end, and when nobody reads
   * outside any more. Events of other kinds pass by in order, each only once this layer asks for more.
   */
  next(kinds: EventKinds): Event[];
  /** The response, or the error of what is inside. Unread events pass by. A second call is `invalid-input`. */
  finish(): CompressResponse;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Asks what is inside for a decision on a tool call. */
export class PermissionNext {
  private constructor();
  /**
   * The decision of the layers inside, and of the operator's rules behind them. What is inside answers the error;
   * one run more than the layer's limit `next-runs` is `limit`.
   */
  run(request: PermissionRequest): PermissionDecision;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/**
 * Who and where this layer is. Always there. Outside a reply, while the host asks for tools or for the schema of the
 * configuration, the names and ids of agent, session and reply are empty.
 */
export interface Context {
  /** The layer's configuration from the manifest, a JSON object as text; `{}` when there is none. */
  config(): string;
  /** This layer's name in the manifest. */
  layerName(): string;
  /** The name of the agent that replies. */
  agentName(): string;
  /** The id of the session, which the caller chose. At most 128 bytes. */
  sessionId(): string;
  /** The id of the reply, which the host made. A parked reply that goes on keeps it. */
  replyId(): string;
  /** The step that was begun last, from 1; 0 before the first since the reply began or went on. */
  step(): number;
  /** Whom the agent acts for; absent where the caller did not say it. */
  actor(): string | null;
}

/** How much a line matters. */
export type Level =
  /** For whoever looks for a fault. */
  | "debug"
  /** What the layer did. */
  | "info"
  /** What is odd, and went well. */
  | "warn"
  /** What went wrong. When the layer then breaks, the last such line is told with the fault. */
  | "error";

/** Writes to the layer's log. Always there. */
export interface Log {
  /** Writes one line for the operator. Past the layer's log limit lines are counted and dropped. */
  write(level: Level, message: string): void;
}

/** Time. Always there. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
  /** Microseconds since a fixed moment of this host's run; never goes back. */
  monotonicUs(): number;
  /** Waits. An aborted reply ends the wait. The time counts as the layer's own, against its limit `wall`. */
  sleep(milliseconds: number): void;
}

/** Chance, from the host's secure source. Always there. */
export interface Random {
  /** So many bytes by chance. More than 65,536 are `limit`. */
  bytes(count: number): Uint8Array;
  /** A whole number by chance, each of the 2^32 as likely. */
  number(): number;
  /** A random UUID as text. */
  uuid(): string;
}

/** How long a value lasts. */
export type StateScope =
  /** This reply, parking included. Gone when the session's next reply begins. */
  | "reply"
  /** This session. */
  | "session"
  /** This layer, across sessions. */
  | "layer";

/**
 * What a layer remembers. Guest memory promises nothing across hooks; this does. Needs the grant `state`; without it
 * each call is `denied`.
 *
 * Each layer has its own values, by its name in the manifest. A key has at most 512 bytes, a value 1 MiB, and all of
 * one scope together the layer's limit `state`, each with its key and 64 bytes besides; more is `limit`.
 */
export interface State {
  /** The value of a key; absent when there is none. */
  get(scope: StateScope, key: string): string | null;
  /** Sets the value of a key, whether or not there was one. */
  set(scope: StateScope, key: string, value: string): void;
  /** Deletes a value, and says whether there was one. */
  delete(scope: StateScope, key: string): boolean;
  /** The keys that begin with `prefix`, sorted by their bytes; all with an empty one. */
  keys(scope: StateScope, prefix: string): string[];
  /** Sets the value if it is still `expected` (absent counts), and says whether it did. An absent `value` deletes. */
  compareAndSet(scope: StateScope, key: string, expected: string | null, value: string | null): boolean;
  /**
   * Adds to a stored whole number, from 0 when absent, and gives the sum, which is stored as its digits. Exact up to
   * 2^53: fractions, stored or added, and what passes that bound are `invalid-input`, and then nothing changes.
   */
  increment(scope: StateScope, key: string, delta: number): number;
}

/** Model calls of a layer's own. Needs the grant `models`, which names the aliases; without it each call is `denied`. */
export interface Models {
  /** The granted aliases, sorted. */
  aliases(): string[];
  /**
   * Asks a model, past all layers. The call is marked internal: not streamed to the user, counted in the reply's
   * usage. An alias that was not granted is `denied`, a granted one that is not there `not-found`; a conversation
   * whose calls and results do not pair is `invalid-input`. Takes the request, whatever comes of it.
   */
  complete(request: ModelRequest): ModelResponse;
}

/**
 * The agent's tools. Needs the grant `tools`, which names them; one that was not granted is `denied`, one that is
 * granted and not there `not-found`.
 */
export interface Tools {
  /** The granted part of the catalogue, offered or not. */
  catalogue(): ToolDefinition[];
  /** Offers a catalogued tool to the model from the next step of this reply on. */
  offer(name: string): void;
  /** Stops offering a tool from the next step of this reply on. */
  withhold(name: string): void;
  /**
   * Runs a tool: validated and authorised as a model's call is, wrapped by `on-acting` of the layers inside this one,
   * and not stored in the conversation. The operator sees which tool ran and what came of it.
   *
   * `arguments` are a JSON object as text; those that do not match the tool's parameters are `invalid-input`. A call
   * that a rule denies or that a person would have to confirm is `denied`, and a tool that runs outside is
   * `unsupported`. Calls of layers stand at most 8 inside one another; one more is `limit`. A tool's own failure is
   * its error, or a response of the state `error`.
   */
  call(name: string, arguments: string): ToolResponse;
}

/**
 * The session's conversation as it is stored. Needs the grant `conversation`, `read` or `write`; without it each call
 * is `denied`.
 */
export interface Conversation {
  /** How many messages there are. */
  count(): number;
  /** The messages from index `start` to before `end`, from 0. A range out of bounds is `invalid-input`. */
  read(start: number, end: number): Message[];
  /**
   * Replaces that range. Refused when a tool call would lose its result or a result its call, or when one of them
   * would stand in a message of another role than its own; so are system messages and a range out of bounds. All of
   * these are `invalid-input`, and nothing changes. Messages without an id of their own get one. Needs `write`.
   */
  replace(start: number, end: number, messages: Message[]): void;
}

/** A folder that was granted. */
export interface Mount {
  /** What a path in it begins with. */
  name: string;
  /** Whether what is in it may be changed. */
  writable: boolean;
}

/** What an entry is. */
export type EntryKind =
  /** A file. */
  | "file"
  /** A folder. */
  | "folder"
  /** A link, among the entries of a folder. Everything else follows it, as far as it stays in its mount. */
  | "link"
  /** A pipe, a socket or a device. It can't be opened. */
  | "other";

/** What has a name in a folder. */
export interface Entry {
  /** The last name of its path. */
  name: string;
  /** What it is. */
  kind: EntryKind;
  /** Bytes of a file; 0 of anything else. At most 2^53. */
  size: number;
  /** When it was changed at last, in milliseconds since 1970-01-01 UTC; 0 where the system does not tell. */
  modifiedMs: number;
}

/**
 * Files below the folders that the grant `workspace` names, its mounts. A path begins with a mount's name:
 * `work/notes/today.md`. Refused on every system are absolute paths, `.` and `..`, a slash at the end, names with `\`,
 * `:` or control characters, names that end in a dot or a space, and names of devices. A link that leads out of its
 * mount is not followed. Paths have at most 1,024 bytes, names 255.
 *
 * A path that can't be used is `invalid-input` with the code `path`. Below no granted mount, or to be changed below
 * one for reading, it is `denied` with `not-granted`; out of its mount, with `escape`. What is not there is
 * `not-found`. What stands in the way is `invalid-input` with `exists`, `not-a-file`, `not-a-folder`, `not-empty`,
 * `link`, `mount`, `other-mount` or `into-itself`. A full mount is `limit` with `workspace-bytes` or
 * `workspace-files`.
 */
export interface Workspace {
  /** The granted mounts, sorted by name. */
  mounts(): Mount[];
  /** What is at a path. A link is followed. */
  stat(path: string): Entry;
  /**
   * The first entries of a folder after the name `after`, or from the start, sorted by the bytes of their names. At
   * most `limit` of them and at most 1,000; none at the end. Names that are no UTF-8 are left out.
   */
  entries(path: string, after: string | null, limit: number): Entry[];
  /** A whole file. One of more bytes than the layer's limit `payload` is `limit` and not read. */
  read(path: string): Uint8Array;
  /**
   * A part of a file from `offset` in bytes; shorter than `length` only where the file ends, and empty behind its end.
   * Of more bytes than the limit `payload` it is `limit`.
   */
  readPart(path: string, offset: number, length: number): Uint8Array;
  /**
   * Makes a file, or puts a new one in its place. Who reads meanwhile finds the one or the other whole. Its folder
   * must be there, and nothing is written through a link.
   */
  write(path: string, content: Uint8Array): void;
  /**
   * Adds at the end of a file, which is made when it is not there. One with another name by a hard link is `denied`
   * with the code `hard-link`.
   */
  append(path: string, content: Uint8Array): void;
  /** Makes a folder, and those above it that are not there. */
  createFolder(path: string): void;
  /** Removes a file, a link or an empty folder. */
  remove(path: string): void;
  /** Moves within one mount, to where nothing is yet. */
  rename(path: string, target: string): void;
}

/** How long a document lasts, and who finds it. */
export type IndexScope =
  /** This session. */
  | "session"
  /** This layer, across sessions. */
  | "layer";

/** A text to be found, with what is known about it. */
export interface Document {
  /** Unique in its collection. At most 512 bytes. */
  id: string;
  /** What is searched. At most 1 MiB. */
  text: string;
  /** A JSON object of strings, numbers, booleans and lists of these, as text; empty counts as `{}`. At most 64 KiB. */
  metadata: string;
}

/** A document that was found. */
export interface Hit {
  /** The document, whole. */
  document: Document;
  /** BM25: the greater the better, 0 at least. */
  score: number;
}

/**
 * Documents of the layer's own, found by their words. Needs the grant `index`; without it each call is `denied`.
 *
 * A collection is there with its first document; its name has at most 512 bytes. All documents of the layer, in all
 * collections and sessions, have at most the bytes of its limit `index`, each with its id, its metadata and 64 bytes
 * besides. What passes a bound is `limit`.
 */
export interface Index {
  /** Adds documents, or puts them in the place of those with their ids; all or none. */
  put(scope: IndexScope, collection: string, documents: Document[]): void;
  /** The document with an id; absent when there is none. */
  get(scope: IndexScope, collection: string, id: string): Document | null;
  /** Removes the documents with these ids, and says how many of them there were. */
  remove(scope: IndexScope, collection: string, ids: string[]): number;
  /** Removes all documents of a collection, and says how many there were. */
  clear(scope: IndexScope, collection: string): number;
  /**
   * The documents with any word of the query, the best first; at most `limit` of them and at most 100. A query is
   * words, without any syntax. Case and accents make no difference, and scripts that put no spaces between words are
   * found by any part.
   *
   * `filter` is a JSON object as text. Each of its keys wants a value (`{"lang": "en"}`), any of some
   * (`{"lang": ["en", "fr"]}`), or one within bounds (`{"year": {"from": 1990, "to": 1999}}`, of which one may be
   * absent). A list in the metadata passes when one of its items does. Without a filter every document passes. One that
   * can't be understood is `invalid-input`; hits of more bytes than the layer's limit `payload` are `limit`.
   */
  search(scope: IndexScope, collection: string, query: string, filter: string | null, limit: number): Hit[];
  /** How many documents a collection has; 0 for one that is not there. */
  count(scope: IndexScope, collection: string): number;
}

/** A request that is not sent yet. */
export class HttpRequest {
  private constructor();
  /** `GET`, `POST` …, and an address with `https:` or `http:`. Denied unless both are granted. */
  static create(method: string, url: string): HttpRequest;
  /**
   * Adds a header. `${secret:NAME}` in the value is filled in by the host when it is sent, for the servers that the
   * secret is granted for; a guest never sees it. What one connection is about, and `host`, are the host's to set.
   */
  addHeader(name: string, value: string): void;
  /** At most the layer's limit `http-request-body`. */
  setBody(body: Uint8Array): void;
  /** Waits at most this long for the whole answer; the host's own bounds hold as well. */
  setTimeout(milliseconds: number): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** What a server answered. A secret that it echoes is replaced by `***`. */
export class HttpResponse {
  private constructor();
  /** The status code, 100 to 999. */
  status(): number;
  /** The address that answered, after redirects. */
  url(): string;
  /** The headers in order, names in lower case. */
  headers(): [string, string][];
  /** The first header of this name, in any case. */
  header(name: string): string | null;
  /** The next bytes of the body, at most 64 KiB; empty at the end. The host asks for no compression and unpacks none. */
  read(): Uint8Array;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/**
 * Requests to the servers that the grant `http` names. The host resolves the name, refuses addresses that were not
 * granted, checks each redirect as it checked the request, and bounds sizes and time.
 */
export interface Http {
  HttpRequest: typeof HttpRequest;
  HttpResponse: typeof HttpResponse;
  /** Sends a request and gives the answer as far as its headers. Any status is an answer. */
  fetch(request: HttpRequest): HttpResponse;
}

/**
 * Something that takes time, within one hook call. It ends when it is told to, when it is dropped, or when the hook
 * call is over; from then on it takes nothing.
 */
export class Span {
  private constructor();
  /** Begins now, in the running hook call. */
  static start(name: string, attributes: string): Span;
  /** Begins now, inside this one. */
  child(name: string, attributes: string): Span;
  /** Adds attributes, or puts them in the place of those with their names. */
  setAttributes(attributes: string): void;
  /** It has failed, for this reason. It goes on until it ends. */
  fail(reason: string): void;
  /** It ends now. Once more is nothing. */
  end(): void;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/**
 * Spans of time and counters, for the operator. Needs the grant `telemetry`.
 *
 * A name has 1 to 128 bytes and no control characters. Attributes are a JSON object of strings, numbers, booleans and
 * lists of these, as text; empty counts as `{}`. The host adds the layer, the hook, the step and the reply.
 */
export interface Telemetry {
  Span: typeof Span;
  /** Adds to a counter: 0 or more. */
  count(name: string, value: number, attributes: string): void;
}

/** What a run of a sub-agent came to. */
export class AgentRun {
  private constructor();
  /**
   * The thread that it ran in. Handed to `run` again, it goes on with this conversation: by this layer, with this agent,
   * in this session.
   */
  thread(): string;
  /**
   * How it ended. One that is `parked` waits for a person, whom nobody asks: the next run in its thread gives up the
   * calls that wait.
   */
  outcome(): Outcome;
  /** The text of its answer; empty when there is none. */
  text(): string;
  /** Why it failed. */
  error(): ErrorRecord | null;
  /** Tokens of all its model calls. They are counted in this reply's usage. */
  usage(): Usage;
  /** How many steps it took. */
  steps(): number;
  /** Lets go of it now; what was given away can't be closed. */
  [Symbol.dispose](): void;
}

/** Sub-agents of the manifest. Needs the grant `agents`, which names them. */
export interface Agents {
  AgentRun: typeof AgentRun;
  /** The granted names, sorted. */
  names(): string[];
  /**
   * Runs one reply of a sub-agent to its end, in a new thread or in that of an earlier run. Its events are not streamed,
   * and an abort of this reply aborts it. An error says why it could not begin; one that failed later is a run.
   */
  run(agent: string, thread: string | null, prompt: string): AgentRun;
}
