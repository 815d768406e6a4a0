import assert from "node:assert/strict";
import { test } from "node:test";
import { completeLock, missingOptional, platformOf, type Lock } from "./complete.ts";

const LOCK: Lock = {
  packages: {
    "": {},
    "node_modules/a": {
      version: "1.0.0",
      optionalDependencies: { "@a/linux-x64-musl": "1.0.0", "@a/darwin-arm64": "1.0.0" },
    },
    "node_modules/@a/darwin-arm64": { version: "1.0.0" },
    "node_modules/@b/b": { optionalDependencies: { "inner-win32-x64": "1.0.0" } },
    "node_modules/@b/b/node_modules/inner-win32-x64": { version: "1.0.0" },
  },
};

test("an optional package without an entry is found, one beside or above its user is not", () => {
  assert.deepEqual([...missingOptional(LOCK).keys()], ["node_modules/@a/linux-x64-musl"]);
});

test("the entry that is added has the version that its user pins and the platform of its name", () => {
  const done = completeLock(LOCK);
  assert.deepEqual(done.packages["node_modules/@a/linux-x64-musl"], {
    version: "1.0.0",
    cpu: ["x64"],
    libc: ["musl"],
    os: ["linux"],
    optional: true,
  });
  assert.equal(missingOptional(done).size, 0);
  assert.equal(Object.keys(done.packages)[0], "");
});

test("a range or a name without a platform is refused", () => {
  const lockOf = (name: string, version: string): Lock => ({
    packages: { "": { optionalDependencies: { [name]: version } } },
  });
  assert.throws(
    () => completeLock(lockOf("a-linux-x64", "^1.0.0")),
    /cannot add a-linux-x64: \^1\.0\.0 is not one version/,
  );
  assert.throws(() => completeLock(lockOf("fsevents", "1.0.0")), /cannot add fsevents: its name has no platform/);
});

test("platforms are read from names", () => {
  assert.deepEqual(platformOf("@x/binding-linux-arm-gnueabihf"), { cpu: ["arm"], libc: ["glibc"], os: ["linux"] });
  assert.deepEqual(platformOf("@x/binding-win32-ia32-msvc"), { cpu: ["ia32"], os: ["win32"] });
  assert.deepEqual(platformOf("@x/binding-android-arm-eabi"), { cpu: ["arm"], os: ["android"] });
  assert.deepEqual(platformOf("@x/node-bindings-linux-arm64"), { cpu: ["arm64"], os: ["linux"] });
});
