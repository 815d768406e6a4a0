import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LEVEL_SPELLINGS,
  SEVERITY_NAMES,
  severityName,
  severityOf,
  severityOfPython,
  severityRange,
} from "./severity.ts";

/** Spellings of loggers, databases and servers. */
const SPELLINGS: Readonly<Record<string, string>> = {
  trace: "TRACE trace Trace T TRC trce TRAC verbose Verbose VRB V finest FINER silly trace8 TRACE4 10 DEBUG-4",
  debug: "DEBUG debug Debug D DBG dbug DEBU dbg FINE DEBUG5 debug1 D2 20 DEBUG+3",
  info: "INFO info Info I INF inf Information informational INFORMATIONAL CONFIG LOG notice NOTICE Note INFO2 info4 30 INFO+2",
  warn: "WARN warn Warn WARNING warning Warning W WRN Wrn wrng WARN2 [WARN] WARN: <warning> 40 WARN+1",
  error:
    "ERROR error Error E ERR Err err ERRO SEVERE Severe fail Exception error3 [E] \u001b[31merror\u001b[39m 50 FAILURE ERROR+3",
  fatal:
    "FATAL fatal F FTL FATA critical CRITICAL crit C panic PANIC PNC dpanic alert ALERT emerg EMERGENCY fatal4 60 ERROR+4",
};

test("every common spelling of a level has the name of its severity", () => {
  for (const [name, levels] of Object.entries(SPELLINGS))
    for (const level of levels.split(" ")) assert.equal(severityName(severityOf(level)), name, level);
});

test("an unknown level has no severity", () => {
  for (const level of [
    "",
    " ",
    "unspecified",
    "success",
    "constructor",
    "toString",
    "warnings!?x",
    "0",
    "9",
    "35",
    "[]",
  ])
    assert.equal(severityOf(level), undefined, level);
});

test("each name has four numbers, and each spelling a number", () => {
  assert.deepEqual(
    SEVERITY_NAMES.flatMap((name) => severityRange(name)),
    [1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24],
  );
  for (const number of [undefined, 0, 25, Number.NaN, -1]) assert.equal(severityName(number), undefined);
  for (const [spelling, number] of LEVEL_SPELLINGS) {
    assert.equal(spelling, spelling.toLowerCase());
    assert.ok(severityName(number), spelling);
  }
});

test("numbers of Python keep their meaning", () => {
  const python = [10, 20, 25, 30, 40, 50].map((number) => severityName(severityOfPython(number)));
  assert.deepEqual(python, ["debug", "info", "info", "warn", "error", "fatal"]);
  assert.deepEqual([severityOfPython(0), severityOfPython(60)], [undefined, undefined]);
});
