import assert from "node:assert/strict";
import { test } from "node:test";
import { passkeyErrorText } from "./passkey-errors.ts";

test("each error of a browser has a remedy", () => {
  assert.match(passkeyErrorText({ name: "NotAllowedError", message: "x" }), /Try again/);
  assert.match(passkeyErrorText({ name: "InvalidStateError", message: "x" }), /already/);
  assert.match(passkeyErrorText({ name: "SecurityError", message: "x" }), /localhost/);
  assert.match(passkeyErrorText({ name: "UnknownError", message: "no luck" }), /no luck/);
});
