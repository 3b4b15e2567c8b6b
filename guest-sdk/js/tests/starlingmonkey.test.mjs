import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { FRAME, adopted, arrived } from "../src/engines/starlingmonkey.js";

// As the engine does, from a realm of its own.
const host = runInNewContext(`({
  plain: () => ({ name: undefined, size: 7n, list: [undefined, { inner: undefined }], bytes: Uint8Array.of(1, 2) }),
  refuse: () => { throw Object.assign(new TypeError("no"), { payload: { kind: "denied", status: undefined } }); },
  Handle: class {
    static create() { return undefined; }
    count() { return 3n; }
    [Symbol.dispose ?? Symbol.for("dispose")]() {}
  },
})`);

test("what comes from the host is what it is on the other engine", () => {
  const found = adopted(host).plain();
  assert.deepEqual(found, { name: null, size: 7, list: [null, { inner: null }], bytes: Uint8Array.of(1, 2) });
  assert.ok(found.list instanceof Array && found.bytes instanceof Uint8Array);
});

test("a handle stays what it is, and its methods give what is to be", () => {
  const handle = new host.Handle();
  assert.equal(arrived(handle), handle);
  assert.equal(handle.count(), 3);
  // Adopting the class that came by before must not wrap it twice.
  const { Handle } = adopted(host);
  assert.deepEqual([Handle, Handle.create(), new Handle().count()], [host.Handle, null, 3]);
});

test("an error of the host is one of this realm, with what it carries", () => {
  assert.throws(adopted(host).refuse, (thrown) => {
    assert.ok(thrown instanceof TypeError);
    assert.deepEqual([thrown.message, thrown.payload], ["no", { kind: "denied", status: null }]);
    return true;
  });
});

test("a frame is told from those of the engine's own part", () => {
  assert.deepEqual({ ...FRAME.exec("go/<@source.js:84:3").groups }, { name: "go/<", line: "84" });
  assert.equal(FRAME.exec("export_onReply$handle@/tmp/a/sources/initializer.js:27673:28"), null);
});
