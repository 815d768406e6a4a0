import assert from "node:assert/strict";
import { test } from "node:test";
import { darkPath } from "./qr.ts";

test("the dark modules of each row become runs", () => {
  assert.equal(
    darkPath([
      [true, true, false, true],
      [false, false, false, false],
      [false, true, true, true],
    ]),
    "M0 0h2v1h-2zM3 0h1v1h-1zM1 2h3v1h-3z",
  );
});
