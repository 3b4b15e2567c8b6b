// What the SDK does on QuickJS: nothing, since what is absent is null there, and each whole number a number.

/** What a hook is given. */
export const arrived = (value) => value;

/** A line of a stack trace that is in the bundle. */
export const FRAME = /at (?<name>\S+) .*?:(?<line>\d+)(?::\d+)?\)?$/;
