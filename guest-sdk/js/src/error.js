// The contract's errors: raised by the host's calls, and to be thrown by a hook.

const WAITING_HELPS = ["timeout", "rate-limited", "overloaded", "connection", "upstream"];

export class CepaError extends Error {
  constructor(kind, message, options = {}) {
    super(message);
    this.name = "CepaError";
    this.kind = kind;
    this.code = options.code ?? "";
    this.retryable = options.retryable ?? WAITING_HELPS.includes(kind);
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.status = options.status ?? null;
  }

  static rejected(code, message) {
    return new CepaError("rejected", message, { code });
  }

  static invalid(message) {
    return new CepaError("invalid-input", message);
  }
}

export function errorOf(thrown) {
  if (thrown instanceof CepaError) return thrown;
  // The host's errors come as the payload of an `Error`.
  const record = [thrown?.payload, thrown].find(isRecord);
  if (record) return new CepaError(record.kind, record.message, record);
  return undefined;
}

/** The contract's record, which is what a hook throws. */
export function recordOf({ kind, code, message, retryable, retryAfterMs, status }) {
  return { kind, code, message, retryable, retryAfterMs, status };
}

function isRecord(value) {
  return typeof value?.kind === "string" && typeof value.message === "string" && typeof value.retryable === "boolean";
}
