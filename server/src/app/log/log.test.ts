import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { hider, logOptions } from "./index.ts";

test("lines have names of levels", () => {
  const lines: string[] = [];
  const log = pino(logOptions("debug"), { write: (line) => void lines.push(line) });
  for (const level of ["debug", "info", "warn", "error", "fatal"] as const) log[level]({ a: 1 }, "m");
  const levels = lines.map((line) => (JSON.parse(line) as { level: string }).level);
  assert.deepEqual(levels, ["debug", "info", "warn", "error", "fatal"]);
});

test("secrets, and users and passwords in addresses, are hidden", () => {
  const hide = hider(["hunter2\\n"]);
  assert.equal(hide('{"a":"x hunter2\\n y"}'), '{"a":"x (hidden) y"}');
  assert.equal(
    hide('{"input":"postgres://u:p@h/d","at":"a@b","url":"https://h/a@b"}'),
    '{"input":"postgres://(hidden)@h/d","at":"a@b","url":"https://h/a@b"}',
  );
});
