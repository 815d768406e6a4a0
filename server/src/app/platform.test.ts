import assert from "node:assert/strict";
import { test } from "node:test";
import { platformFault } from "./platform.ts";

const fault = (platform: string, arch: string, engine = true): string | null =>
  platformFault({ platform, arch, hasEngine: () => engine });

test("this machine can run the server", () => {
  assert.equal(platformFault(), null);
});

test("a platform without a build of the query engine is refused in one sentence that names the others", () => {
  const expected = /^cannot run on linux-riscv64: .* has no build for it; use one of darwin-arm64, .*, linux-x64$/;
  assert.match(fault("linux", "riscv64") ?? "", expected);
  assert.match(fault("freebsd", "x64") ?? "", /^cannot run on freebsd-x64: /);
});

test("Windows is refused, with two ways that work", () => {
  assert.match(fault("win32", "x64") ?? "", /^cannot run on Windows: .*; use WSL 2, or the container image$/);
});

test("a missing build is named, with the remedy", () => {
  assert.match(
    fault("linux", "arm64", false) ?? "",
    /DuckDB\) for linux-arm64 is not installed; install again without omitting/,
  );
  assert.equal(fault("linux", "arm64"), null);
});
