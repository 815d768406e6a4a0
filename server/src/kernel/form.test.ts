import assert from "node:assert/strict";
import { test } from "node:test";
import { FORM_FIELDS_MAX, hasMoreFields } from "./form.ts";

test("a form at the limit of fields is read, one more is refused", () => {
  const form = (fields: number): string => Array.from({ length: fields }, (_, i) => `n${i}=v`).join("&");
  assert.equal(hasMoreFields(""), false);
  assert.equal(hasMoreFields(form(FORM_FIELDS_MAX)), false);
  assert.equal(hasMoreFields(form(FORM_FIELDS_MAX + 1)), true);
});
