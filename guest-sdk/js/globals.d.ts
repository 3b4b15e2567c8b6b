// What is there without an import: for a `tsconfig.json` without the library `dom`.

/** Writes to the layer's log. */
declare const console: Record<"debug" | "log" | "info" | "warn" | "error", (...parts: unknown[]) => void>;

/** The host's clock, from a fixed moment of its run. */
declare const performance: { now(): number };

/** Writes UTF-8. */
declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array;
}

/** Reads UTF-8; what is none becomes U+FFFD. */
declare class TextDecoder {
  constructor(encoding?: "utf-8" | "utf8");
  readonly encoding: "utf-8";
  decode(bytes?: Uint8Array | ArrayBuffer): string;
}
