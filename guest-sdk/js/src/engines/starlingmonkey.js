// What the SDK does on StarlingMonkey, so that a middleware finds there what it finds on QuickJS: what is absent is null
// and not undefined, also within records and lists, and whole numbers of 64 bits are numbers and not `BigInt`.

const known = new WeakSet();

/** What came from the host, as it is to be. Records and lists are changed in place: they belong to whoever asked. */
export function arrived(value) {
  if (value === undefined) return null;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) {
    for (const key of Object.keys(value)) value[key] = arrived(value[key]);
  } else {
    adoptMembers(prototype);
  }
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
    return arrived(call.apply(this, given));
  };
}
