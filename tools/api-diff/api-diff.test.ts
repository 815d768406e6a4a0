import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ACCEPTED } from "./accepted.ts";
import { breaksOf, type ApiDocument } from "./document.ts";
import { schemaBreaks, type Direction, type Schema } from "./schema.ts";

function read(folder: string): ApiDocument {
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as ApiDocument);
  const paths = Object.assign({}, ...documents.map((document) => document.paths)) as ApiDocument["paths"];
  const schemas = Object.assign({}, ...documents.map(({ components }) => components.schemas)) as Record<string, Schema>;
  return { paths, components: { schemas } };
}

test("nothing breaks callers of the last release, except the accepted changes, each with a reason", () => {
  const released = read("openapi/released");
  assert.ok(Object.keys(released.paths).length > 60);
  assert.deepEqual(
    breaksOf(released, read("openapi")),
    ACCEPTED.map(({ line }) => line),
  );
  for (const { reason } of ACCEPTED) assert.ok(reason.length > 20, reason);
});

/** Each row: a keyword change, and the direction in which it breaks callers. */
const CHANGES: readonly (readonly [name: string, before: Schema, after: Schema, breaks: readonly Direction[]])[] = [
  ["nothing", { type: "string" }, { type: "string", description: "x" }, []],
  ["another type", { type: "string" }, { type: "integer" }, ["request", "answer"]],
  ["integer to number", { type: "integer" }, { type: "number" }, ["answer"]],
  ["number to integer", { type: "number" }, { type: "integer" }, ["request"]],
  ["null added", { type: "string" }, { anyOf: [{ type: "string" }, { type: "null" }] }, ["answer"]],
  ["null removed", { anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string" }, ["request"]],
  ["value added", { enum: ["a"] }, { enum: ["a", "b"] }, ["answer"]],
  ["value added to an open enum", { enum: ["a"], "x-open-enum": true }, { enum: ["a", "b"] }, []],
  ["value removed", { enum: ["a", "b"] }, { enum: ["a"] }, ["request"]],
  ["values restricted", { type: "string" }, { type: "string", enum: ["a"] }, ["request"]],
  ["values freed", { type: "string", enum: ["a"] }, { type: "string" }, ["answer"]],
  ["shorter", { type: "string", maxLength: 9 }, { type: "string", maxLength: 8 }, ["request"]],
  ["longer", { type: "string", maxLength: 8 }, { type: "string", maxLength: 9 }, []],
  ["greater minimum", { type: "integer" }, { type: "integer", minimum: 1 }, ["request"]],
  ["at least none", { type: "array" }, { type: "array", minItems: 0 }, []],
  ["pattern added", { type: "string" }, { type: "string", pattern: "^a" }, ["request"]],
  ["format removed", { type: "string", format: "date-time" }, { type: "string" }, ["answer"]],
  ["member added", object({}), object({ a: {} }), []],
  ["member removed", object({ a: {} }), object({}), ["request", "answer"]],
  ["required member added", object({}), object({ a: {} }, ["a"]), ["request"]],
  ["member may be absent", object({ a: {} }, ["a"]), object({ a: {} }), ["answer"]],
  ["member of another type", object({ a: { type: "string" } }), object({ a: { type: "null" } }), ["request", "answer"]],
  ["other members refused", object({}), { ...object({}), additionalProperties: false }, ["request"]],
  ["items of another type", array("string"), array("integer"), ["request", "answer"]],
  ["members of any name", map("string"), map("integer"), ["request", "answer"]],
];

function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: "object", properties, required };
}
function array(type: string): Schema {
  return { type: "array", items: { type } };
}
function map(type: string): Schema {
  return { type: "object", patternProperties: { "^.*$": { type } } };
}

for (const [name, before, after, breaks] of CHANGES)
  test(`${name} breaks ${breaks.join(" and ") || "nothing"}`, () => {
    for (const direction of ["request", "answer"] as const) {
      const found = schemaBreaks({ before, after, direction, place: "here" });
      assert.equal(found.length > 0, breaks.includes(direction), `${direction}: ${found.join("; ")}`);
      for (const line of found) assert.match(line, /^here/);
    }
  });

type Raw = { paths: Record<string, Record<string, Record<string, unknown>>>; components: ApiDocument["components"] };

/** The lines that a change of one operation gives. */
function linesOf(change: (operation: Record<string, unknown>) => void): string[] {
  const released = read("openapi/released");
  const next = structuredClone(released) as unknown as Raw;
  change(next.paths["/v1/files/{file_id}/download"]?.["get"] ?? assert.fail("no such operation"));
  return breaksOf(released, next as unknown as ApiDocument);
}

test("changes of an operation are found: its id, permission, parameters, body and answers", () => {
  assert.deepEqual(
    linesOf(() => undefined),
    [],
  );
  assert.deepEqual(
    linesOf((row) => (row["operationId"] = "x")),
    ["getFileDownload: its id became x"],
  );
  assert.deepEqual(
    linesOf((row) => (row["security"] = [{ oauth2: ["files:delete"] }])),
    ["getFileDownload: it now needs files:delete"],
  );
  assert.deepEqual(
    linesOf((row) => (row["security"] = [])),
    [],
  );
  assert.deepEqual(
    linesOf((row) => (row["parameters"] = (row["parameters"] as unknown[]).slice(0, 1))),
    ["getFileDownload: query parameter expires_in: it was removed"],
  );
  const required = { name: "new", in: "query", required: true, schema: {} };
  assert.deepEqual(
    linesOf((row) => (row["parameters"] as unknown[]).push(required)),
    ["getFileDownload: query parameter new: it is now required"],
  );
  assert.deepEqual(
    linesOf((row) => (row["requestBody"] = { content: { "application/json": { schema: {} } } })),
    ["getFileDownload: body: it is now required"],
  );
  assert.deepEqual(
    linesOf((row) => (row["responses"] = { 200: (row["responses"] as Record<string, unknown>)["200"] })).at(0),
    "getFileDownload: answer 400: it was removed",
  );
});

test("an operation that was removed, or now needs a token, is found", () => {
  const released = read("openapi/released");
  const { "/health": health, ...paths } = released.paths;
  assert.deepEqual(breaksOf(released, { ...released, paths }), ["health: GET /health was removed"]);
  const guarded = {
    "/health": { get: { ...health?.["get"], security: [{ oauth2: [] }] } },
  } as unknown as ApiDocument["paths"];
  assert.deepEqual(breaksOf(released, { ...released, paths: { ...paths, ...guarded } }), [
    "health: it now needs a token",
  ]);
});
