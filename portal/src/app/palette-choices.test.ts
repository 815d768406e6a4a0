import assert from "node:assert/strict";
import { test } from "node:test";
import { matching } from "./palette-choices.ts";

const CHOICES = ["Explore", "SQL", "Webhooks", "Usage and limits", "Audit log"].map((title) => ({
  title,
  kind: "Page",
}));
const titles = (text: string): string[] => matching(CHOICES, text).map(({ title }) => title);

test("titles that begin with the text come first, then those that contain it, then those with its letters in order", () => {
  assert.deepEqual(titles("u"), ["Usage and limits", "Audit log"]);
  assert.deepEqual(titles("hook"), ["Webhooks"]);
  assert.deepEqual(titles("xlr"), ["Explore"]);
  assert.deepEqual(titles("zz"), []);
  assert.equal(titles(" ").length, CHOICES.length);
});
