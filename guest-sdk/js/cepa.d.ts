// Writes Cepa middlewares in TypeScript: the contract, and what the SDK has on top of it.
import type {
  Agents, Clock, CompressNext, CompressRequest, CompressResponse, Context, Conversation, Draft, ErrorKind, Event,
  EventKinds, Http, HttpResponse, Index, Log, Message, ModelNext, ModelRequest, ModelResponse, Models,
  PermissionDecision, PermissionNext, PermissionRequest, Random, ReasoningNext, ReasoningRequest, ReasoningResponse,
  ReplyNext, ReplyRequest, ReplyResponse, Sink, State, StateScope, Telemetry, ToolCall, ToolDefinition, ToolNext,
  ToolRequest, ToolResponse, ToolState, Tools, TurnSummary, Verdict, Workspace,
} from "./contract.js";

export * from "./contract.js";

// The hooks: a class `implements` those that it wants, a module exports functions of their names.

/** Wraps a whole reply: every step, tool call and the final answer. */
export interface OnReply {
  /** Answers the request, as a rule with what `next` answers. The response holds the final message alone. */
  onReply(request: ReplyRequest, next: ReplyNext, out: Sink): ReplyResponse;
}

/** Wraps one step's reasoning: prompt assembly, model call, decoding. */
export interface OnReasoning {
  /** Answers the request, as a rule with what `next` answers. */
  onReasoning(request: ReasoningRequest, next: ReasoningNext, out: Sink): ReasoningResponse;
}

/** Wraps one request to a model. */
export interface OnModelCall {
  /** Answers the request, as a rule with what `next` answers. */
  onModelCall(request: ModelRequest, next: ModelNext, out: Sink): ModelResponse;
}

/** Wraps one tool execution. */
export interface OnActing {
  /** Answers the request, as a rule with what `next` answers. An error becomes an error result. */
  onActing(request: ToolRequest, next: ToolNext, out: Sink): ToolResponse;
}

/** Wraps the check, before each step, whether to compress the context, and the compression. */
export interface OnCompressContext {
  /** Answers the request, as a rule with what `next` answers. */
  onCompressContext(request: CompressRequest, next: CompressNext, out: Sink): CompressResponse;
}

/** Wraps the decision whether a tool call may run. */
export interface OnCheckPermission {
  /** Decides. An error counts as a denial. */
  onCheckPermission(request: PermissionRequest, next: PermissionNext): PermissionDecision;
}

/** Rewrites the assembled system prompt, passed from layer to layer in list order. */
export interface OnSystemPrompt {
  /** Gives the prompt to pass on. */
  onSystemPrompt(prompt: string): string;
}

/** Filters the reply's event stream. What keeps text from the reader must take the kind `revision` beside `text`. */
export interface OnEvents {
  /** The kinds of event to be given; others pass by. Asked once, at the start of a reply. */
  kinds(): EventKinds;
  /** Takes the 1 to 64 events that are ready and gives what goes on. */
  onEvents(events: Event[]): Event[];
}

/** Reviews the final answer before it is stored. Its text has been streamed by then. */
export interface OnDraft {
  /** Accepts the draft, replaces it, or has the model asked again. */
  onDraft(draft: Draft): Verdict;
}

/** Contributes tools. */
export interface ToolSource {
  /** The tools. Asked once, when the agent is built. */
  listTools(): ToolDefinition[];
  /** Runs one of them. What it sends as `tool-result-text` and `tool-result-data` is shown as it comes. */
  callTool(request: ToolRequest, out: Sink): ToolResponse;
}

/** Is told how each reply ended: exactly once, on every path. */
export interface OnTurnEnd {
  /** Nothing that happens here changes the reply. */
  onTurnEnd(turn: TurnSummary): void;
}

/** Takes over the state that another version of the middleware left. */
export interface MigrateState {
  /** Brings the state of the scope `layer` into this version's form. An error stops the exchange. */
  migrateState(fromConfig: string): void;
}

// Errors.

/** What went wrong: a kind, and one sentence for a person. */
export class CepaError extends Error {
  /** `retryable` follows from the kind where it is not given; `code` is a finer, stable word in kebab case. */
  constructor(
    kind: ErrorKind,
    message: string,
    options?: { code?: string; retryable?: boolean; retryAfterMs?: number | null; status?: number | null },
  );
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly status: number | null;
  /** Raised by this middleware for a reason of its own; `code` is a stable word in kebab case. */
  static rejected(code: string, message: string): CepaError;
  /** A value that can't be used. */
  static invalid(message: string): CepaError;
}

/** The contract's error in what was caught; undefined when it is something else, which is best thrown again. */
export function errorOf(thrown: unknown): CepaError | undefined;

// Configuration, messages and runs.

/** The layer's `config` from the manifest, over these defaults. The constructor of a class is given it. */
export function config<T extends object>(defaults?: Partial<T>): T;

/** A user message of one text block. */
export function user(text: string): Message;
/** An assistant message of one text block. */
export function assistant(text: string): Message;
/** The text blocks of a message, joined. A response has a method `text` of its own. */
export function textOf(message: Message): string;
/** The tool calls among the blocks of a message, in order. */
export function toolCallsOf(message: Message): ToolCall[];
/** What a tool answers: one text. Without a state it is `success`. */
export function resultOf(text: string, state?: ToolState): ToolResponse;
/** Puts one text in the place of the message's texts. All else in it stays: thoughts, calls and data. */
export function setText(response: ModelResponse | ReasoningResponse | ReplyResponse, text: string): void;

/** The events of these kinds of a run, one by one, to its end. Then `run.finish()` gives the response. */
export function eventsOf(run: { next(kinds: EventKinds): Event[] }, kinds: EventKinds): Generator<Event, void, void>;

/**
 * Runs what is inside, and sends outward what `change` makes of each event of these kinds; null drops it.
 *
 * This changes what is read while it comes. What holds in the end is the response: where the two differ, the host
 * corrects the stream with `message-replaced`. So change the response likewise, for example with `setText`.
 */
export function runChanging<Request, Response>(
  next: {
    start(request: Request): { next(kinds: EventKinds): Event[]; finish(): Response; [Symbol.dispose](): void };
  },
  request: Request,
  kinds: EventKinds,
  out: Sink,
  change: (event: Event) => Event | null | undefined,
): Response;

// What is around a middleware.

export const agents: Agents;
export const clock: Clock;
export const context: Context;
export const conversation: Conversation;
export const index: Index;
export const models: Models;
export const random: Random;
export const telemetry: Telemetry;
export const tools: Tools;
export const workspace: Workspace;

/** The layer's log; `console` writes to it too. */
export const log: Log & {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
};

/** What a layer remembers, and JSON on top of it. */
export const state: State & {
  /** The value of a key, read as JSON; `missing` when there is none. */
  getJson<T>(scope: StateScope, key: string, missing?: T): T;
  /** Sets a value, written as JSON. */
  setJson(scope: StateScope, key: string, value: unknown): void;
  /**
   * Sets the value that `change` makes of the one before, so that no change of another hook is lost, and gives it.
   * `change` is given `missing` where there is none, and runs again when the value was changed meanwhile. After 16
   * attempts this is `overloaded`.
   */
  updateJson<T>(scope: StateScope, key: string, change: (before: T) => T, missing?: T): T;
};

/** Requests to granted servers, and the body on top of them. */
export const http: Omit<Http, "HttpResponse"> & {
  /** Asks for what is at an address. Any status is an answer. */
  get(url: string): HttpResponse;
  /** The rest of an answer's body; `limit` when there are more than `max` bytes. */
  readAll(response: HttpResponse, max: number): Uint8Array;
  /** The first bytes of an answer's body, at most `max`. What comes behind them is left unread. */
  readStart(response: HttpResponse, max: number): Uint8Array;
};
