import assert from "node:assert/strict";
import { test } from "node:test";
import { advance } from "./machine.ts";
import { freshProgress, stateOf, type AlertProgress, type AlertSettings, type Outcome } from "./model.ts";

const SETTINGS: AlertSettings = {
  every_s: 60,
  window_s: null,
  condition: { operator: ">", threshold: 0 },
  for_evaluations: 1,
  no_data: "ok",
  renotify_s: null,
  notify_resolved: true,
};
const MINUTE_MS = 60_000;

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  T: { kind: "true", value: 7 },
  F: { kind: "false", value: 0 },
  N: { kind: "no_data" },
  C: { kind: "error", fault: { code: "telemetry_incomplete", detail: "Cannot evaluate: two servers" } },
  E: { kind: "error", fault: { code: "query_failed", detail: "it failed" } },
  S: { kind: "stopped", fault: { code: "rights_lost", detail: "gone" } },
};

/** Evaluates once for each letter, a minute apart. Returns each new state with the messages that were sent. */
function run(outcomes: string, settings: Partial<AlertSettings> = {}): string[] {
  let progress = freshProgress(0);
  let incidents = 0;
  return outcomes.split("").map((letter, i) => {
    const outcome = OUTCOMES[letter] as Outcome;
    const newIncident = (): string => `i${++incidents}`;
    const step = advance(progress, outcome, {
      settings: { ...SETTINGS, ...settings },
      nowMs: i * MINUTE_MS,
      newIncident,
    });
    ({ progress } = step);
    return [stateOf(progress, true), ...step.events.map((event) => event.slice("alert.".length))].join(" ");
  });
}

const CASES: readonly [what: string, outcomes: string, settings: Partial<AlertSettings>, expected: string[]][] = [
  ["fires once, and resolves once", "FTTFF", {}, ["ok", "firing firing", "firing", "ok resolved", "ok"]],
  ["fires again after it resolved", "TFT", {}, ["firing firing", "ok resolved", "firing firing"]],
  [
    "fires after the set number of evaluations in a row",
    "TTFTTT",
    { for_evaluations: 3 },
    ["pending", "pending", "ok", "pending", "pending", "firing firing"],
  ],
  ["without notify_resolved, no message reports the end", "TF", { notify_resolved: false }, ["firing firing", "ok"]],
  [
    "repeats the message while it fires",
    "TTTTT",
    { renotify_s: 120 },
    ["firing firing", "firing", "firing reminder", "firing", "firing reminder"],
  ],
  ["no data counts as ok by default", "TN", {}, ["firing firing", "ok resolved"]],
  ["no data can fire", "NNF", { no_data: "firing" }, ["firing firing", "firing", "ok resolved"]],
  [
    "no data can leave the state unchanged",
    "NTNF",
    { no_data: "keep" },
    ["ok", "firing firing", "firing", "ok resolved"],
  ],
  ["one or two failures change nothing", "EEFEEF", {}, ["ok", "ok", "ok", "ok", "ok", "ok"]],
  [
    "three failures send one message, and their end sends another",
    "EEEEF",
    {},
    ["ok", "ok", "error error", "error", "ok recovered"],
  ],
  [
    "an incident continues after failures",
    "TEEET",
    {},
    ["firing firing", "firing", "firing", "error error", "firing recovered"],
  ],
  [
    "an incident can end during failures",
    "TEEEF",
    {},
    ["firing firing", "firing", "firing", "error error", "ok recovered resolved"],
  ],
  [
    "a failure neither counts towards firing nor ends it",
    "TET",
    { for_evaluations: 2 },
    ["pending", "pending", "firing firing"],
  ],
  ["a lost permission sends one message, at once", "SSF", {}, ["stopped stopped", "stopped", "ok recovered"]],
  ["a lost permission does not end an incident", "TST", {}, ["firing firing", "stopped stopped", "firing recovered"]],
  [
    "an alert that can't be evaluated sends a message at once, and is never ok",
    "CCF",
    {},
    ["error error", "error", "ok recovered"],
  ],
  ["incomplete telemetry does not end an incident", "TCT", {}, ["firing firing", "error error", "firing recovered"]],
  ["failures after a lost permission", "SEEE", {}, ["stopped stopped", "stopped", "stopped", "error error"]],
];

for (const [what, outcomes, settings, expected] of CASES) {
  test(`${outcomes}: ${what}`, () => {
    assert.deepEqual(run(outcomes, settings), expected);
  });
}

test("an incident has one ID from its beginning to its end", () => {
  const names = ["i1", "i2"];
  const context = { settings: SETTINGS, nowMs: 0, newIncident: () => names.shift() ?? "" };
  const step = (before: AlertProgress, letter: string): AlertProgress =>
    advance(before, OUTCOMES[letter] as Outcome, context).progress;
  const fired = step(freshProgress(0), "T");
  const ended = step(step(fired, "T"), "F");
  assert.deepEqual([fired.incident_id, ended.incident_id, step(ended, "T").incident_id], ["i1", "i1", "i2"]);
});

test("since_ms is the time when the state began", () => {
  let progress = freshProgress(5);
  const at = (nowMs: number, letter: string): number => {
    const context = { settings: SETTINGS, nowMs, newIncident: () => "i" };
    ({ progress } = advance(progress, OUTCOMES[letter] as Outcome, context));
    return progress.since_ms;
  };
  assert.deepEqual([at(10, "F"), at(20, "T"), at(30, "T"), at(40, "F")], [5, 20, 20, 40]);
});
