import assert from "node:assert/strict";
import { test } from "node:test";
import type { Batch } from "#stores/telemetry/index.ts";
import { appendOnce } from "./append-once.ts";

const principal = { id: "cred_1", orgId: "org_1" } as Parameters<typeof appendOnce>[1]["principal"];

/** Returns the keys with which these rows of one body are stored. */
async function keysOf(lines: readonly string[]): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  const append = async ({ count, idempotency }: Batch): Promise<{ accepted: number; replayed: boolean }> => {
    keys.push(idempotency?.keyHash);
    return { accepted: count, replayed: false };
  };
  const rows = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const encoded = { rows, count: lines.length, rejected: 0, errors: [], bodyHash: "a", isTimed: true };
  await appendOnce({ append }, { principal, type: "logs", protocol: "p", namedProject: null, encoded });
  return keys;
}

test("rules may change between an equal body and its repeat", async () => {
  const lines = Array.from({ length: 2001 }, (_, i) => `{"message":"${i}"}`);
  assert.deepEqual(await keysOf(["a"]), await keysOf(["b", "c"]), "one batch is stored once");
  const all = await keysOf(lines);
  assert.equal(all.length, 3);
  assert.deepEqual(await keysOf(lines), all);
  // Another row begins the second batch, so the first attempt may not have stored it.
  for (const less of [lines.slice(1), lines.slice(700)])
    for (const key of await keysOf(less)) assert.ok(!all.includes(key));
});
