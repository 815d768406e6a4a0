import assert from "node:assert/strict";
import { test } from "node:test";
import { auditWords } from "./audit-words.ts";

test("an action is described as a sentence about its actor", () => {
  const pairs = [
    ["credential.rotate", "rotated a credential"],
    ["alert.create", "created an alert"],
    ["webhook.destination.delete", "deleted a webhook destination"],
    ["s3_destination.create", "created an s3 destination"],
    ["session.refuse", "tried to sign in"],
    ["thing.of.tomorrow", "thing.of.tomorrow"],
  ] as const;
  for (const [action, words] of pairs) assert.equal(auditWords(action), words);
});
