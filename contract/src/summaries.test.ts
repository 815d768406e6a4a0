import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "./index.ts";
import type { Route } from "./route.ts";

/** What operations do. A new verb is fine; a noun is not, since people read `Cannot <summary>: …` when a call fails. */
const VERBS = new Set(
  (
    "accept add ask change create delete end erase export find found get give hand invite list make mark move name prepare " +
    "prove read remove rename replace restore retire revoke run save send set show sign start stop stream take test turn " +
    "upload wait walk watch"
  ).split(" "),
);

const ROWS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, Route>>));

test("every row's summary says what is done, and can follow `Cannot`", () => {
  assert.ok(ROWS.length > 100, `only ${ROWS.length} rows were found`);
  const wrong = ROWS.filter(({ summary }) => {
    const [verb = ""] = summary.split(/[ ,]/);
    return !/^[A-Z]/.test(verb) || !VERBS.has(verb.toLowerCase()) || summary.endsWith(".");
  });
  assert.deepEqual(
    wrong.map(({ operationId, summary }) => `${operationId}: ${summary}`),
    [],
  );
});
