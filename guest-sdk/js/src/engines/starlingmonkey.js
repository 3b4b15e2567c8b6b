// What the SDK does on StarlingMonkey, so that a middleware finds there what it finds on QuickJS: what is absent is null
// and not undefined, also within records and lists, and whole numbers of 64 bits are numbers and not `BigInt`.
//
// The engine's own part lives in a realm of its own: what it makes is no instance of this one's `Error` or `Array`.

// They would wait for ever, or give the same in each instance.
for (const name of ["fetch", "setTimeout", "setInterval", "clearTimeout", "clearInterval", "crypto"]) {
  delete globalThis[name];
}

// The engine closes handles by this where it finds no symbol of the language.
Symbol.dispose ??= Symbol.for("dispose");

/** A line of a stack trace that is in the bundle. */
export const FRAME = /^(?<name>.*)@.*source\.js:(?<line>\d+):\d+$/;

const known = new WeakSet();

/** What came from the host, as it is to be. A function that gives nothing gives null as well. */
export function arrived(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return Array.from(value, arrived);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value);
  const prototype = Object.getPrototypeOf(value);
  // A handle's class stands between it and what all objects have.
  if (Object.getPrototypeOf(prototype) === null) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, arrived(field)]));
  }
  adoptMembers(prototype);
  return value;
}

/** An interface of the host, whose functions and classes give what is to be. */
export function adopted(host) {
  return Object.fromEntries(Object.entries(host).map(([name, member]) => [name, adoptedMember(member)]));
}

function adoptedMember(member) {
  if (!isClass(member)) return arriving(member);
  adoptMembers(member);
  adoptMembers(member.prototype);
  return member;
}

/** A class is a function whose prototype can't be exchanged. */
const isClass = (member) => Object.getOwnPropertyDescriptor(member, "prototype")?.writable === false;

/** Once for each class, also where only its handles come by. */
function adoptMembers(owner) {
  if (known.has(owner)) return;
  known.add(owner);
  for (const name of Object.getOwnPropertyNames(owner)) {
    const { value, writable } = Object.getOwnPropertyDescriptor(owner, name);
    if (typeof value === "function" && writable && name !== "constructor") owner[name] = arriving(value);
  }
}

function arriving(call) {
  return function (...given) {
    try {
      return arrived(call.apply(this, given));
    } catch (thrown) {
      throw arrivedError(thrown);
    }
  };
}

/** The same error in this realm, with a trace of where the host was called. */
function arrivedError({ name, message, payload }) {
  const error = new (globalThis[name] ?? Error)(message);
  if (payload !== undefined) error.payload = arrived(payload);
  return error;
}
