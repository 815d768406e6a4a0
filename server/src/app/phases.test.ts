import assert from "node:assert/strict";
import { test } from "node:test";
import { createPhases } from "./phases.ts";

interface Line {
  readonly phase: string;
  readonly ms?: number;
  readonly deadline_ms?: number;
}

function logged() {
  const lines: { level: string; fields: Line; message: string }[] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields: fields as Line, message });
  return { lines, log: { info: at("info"), error: at("error") } };
}

test("phases stop in the reverse order, each with a line at its begin and at its end", async () => {
  const { lines, log } = logged();
  const phases = createPhases(log);
  const order: string[] = [];
  for (const name of ["records", "requests"]) phases.started(name, name, (part) => void order.push(part));
  assert.deepEqual(await phases.stop(), []);
  assert.deepEqual(order, ["requests", "records"]);
  assert.deepEqual(
    lines.map(({ level, fields, message }) => `${level} ${message}: ${fields.phase}`),
    ["requests", "records"].flatMap((name) => [`info stopping a part: ${name}`, `info stopped a part: ${name}`]),
  );
  assert.equal(typeof lines[1]?.fields.ms, "number");
});

test("an overdue part is left behind, also if it fails later, and the next ones stop", async () => {
  const { lines, log } = logged();
  const phases = createPhases(log);
  const stopped: string[] = [];
  const late = Promise.withResolvers<void>();
  phases.started("first", null, () => void stopped.push("first"));
  phases.started("failing", null, () => Promise.reject(new Error("broken")));
  phases.started("stuck", null, () => late.promise, 20);
  assert.deepEqual(await phases.stop(), ["stuck"]);
  assert.deepEqual(stopped, ["first"]);
  const errors = lines.filter(({ level }) => level === "error");
  assert.deepEqual(
    errors.map(({ fields, message }) => `${message}: ${fields.phase}`),
    ["a part did not stop in time and is left behind: stuck", "cannot stop a part cleanly: failing"],
  );
  assert.ok((errors[0]?.fields.ms ?? 0) >= 19);
  late.reject(new Error("too late")); // The test fails if nobody handles it.
});
