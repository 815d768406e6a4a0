import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "./index.ts";
import { resourceKindOf } from "./resources.ts";
import type { Route } from "./route.ts";
import { isScope } from "./scopes.ts";

/** Verbs of summaries. A new verb is fine, but a noun is not: people read `Cannot <summary>: …` when a call fails. */
const VERBS = new Set(
  (
    "abort accept acknowledge add adopt allow approve archive ask assign begin block cancel change check claim clear close complete " +
    "confirm connect copy count create decline delete deny disable disconnect download edit empty enable end enter erase explain " +
    "export fetch find found get give grant hand hide import ingest invite keep issue join leave link list lock mail make mark merge move name open " +
    "pause post prepare preview prove publish purge put read reject release remove rename renew replace replay report request " +
    "reset resolve restore resume retire retry reveal revoke rotate run save scan search send set share show sign start stop " +
    "stream suspend sync tag take tell test transfer trust try turn unarchive undo unlink unlock update upload verify wait walk " +
    "watch withdraw write"
  ).split(" "),
);

const ROWS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, Route>>));

test("every row's summary begins with a verb, and can follow `Cannot`", () => {
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

test("a change by a token honours `If-Match`", () => {
  const without = ROWS.filter(
    ({ method, permission, headers = [] }) =>
      (method === "PATCH" || method === "PUT") &&
      permission !== "session" &&
      permission !== "instance" &&
      !headers.includes("If-Match"),
  );
  assert.deepEqual(
    without.map(({ operationId }) => operationId),
    [],
  );
});

test("a row honours `If-Match` exactly if it answers 409 `concurrent_update`", () => {
  const differ = ROWS.filter(
    ({ headers = [], problems }) => headers.includes("If-Match") !== problems.includes("concurrent_update"),
  );
  assert.deepEqual(
    differ.map(({ operationId }) => operationId),
    [],
  );
});

test("a row declares the resource on which it acts, exactly if its scope has resources", () => {
  const wrong = ROWS.filter(({ permission, resource }) => {
    const kind = isScope(permission) ? resourceKindOf(permission) : undefined;
    if (kind === undefined) return resource !== undefined;
    return resource !== "unlimited" && resource !== kind;
  });
  assert.deepEqual(
    wrong.map(({ operationId, permission, resource }) => `${operationId}: ${permission} on ${String(resource)}`),
    [],
  );
});
