// What the SDK does on QuickJS: nothing, since what is absent is null there, and each whole number a number.

/** What a hook is given. */
export const arrived = (value) => value;
