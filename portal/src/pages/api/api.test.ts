import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { matching, operationsOf, permissionOf, type ApiDocument } from "./document.ts";
import { exampleCommand, exampleOf } from "./example.ts";
import { rowsOf, typeOf } from "./schema.ts";

const DOCUMENTS = readdirSync("openapi")
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(`openapi/${name}`, "utf8")) as ApiDocument)
  .map((document) => ({ ...document, servers: [{ url: "https://m.example" }] }));
const NO_REFS = { components: { schemas: {} } };

test("a search finds operations by id, path, summary and permission, every word", () => {
  const all = DOCUMENTS.flatMap(operationsOf);
  const ids = (text: string): string[] => matching(all, text).map(({ operationId }) => operationId);
  assert.ok(all.length > 100);
  assert.deepEqual(ids("emptytrash"), ["emptyTrash"]);
  assert.deepEqual(ids("DELETE /v1/files/trash good").toSorted(), ["emptyTrash", "purgeFile"]);
  assert.ok(ids("files:delete").includes("deleteFile"));
  assert.ok(ids("public").includes("getApiDocument"));
  assert.deepEqual(ids("no such operation"), []);
  assert.equal(ids("").length, all.length);
});

test("members have their place, type, bounds and whether they are required", () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 1, maxLength: 5, description: "shown" },
      parts: { type: "array", items: { type: "object", properties: { at: { type: "integer", minimum: 3 } } } },
      state: { anyOf: [{ type: "null" }, { enum: ["on", "off"] }] },
      more: { type: "object", patternProperties: { "^.*$": { type: "boolean" } } },
      problem: { $ref: "#/components/schemas/P" },
    },
  };
  const refs = { components: { schemas: { P: { type: "object", properties: { code: { type: "string" } } } } } };
  assert.deepEqual(
    rowsOf(schema, refs).map(({ place, depth, type, isRequired, about }) => [place, depth, type, isRequired, about]),
    [
      ["name", 0, "string", true, "shown · 1 to 5 characters"],
      ["parts", 0, "array of object", false, ""],
      ["parts[]", 1, "object", true, ""],
      ["parts[].at", 2, "integer", false, "at least 3"],
      ["state", 0, 'null or "on" or "off"', false, ""],
      ["more", 0, "object", false, ""],
      ["more.{name}", 1, "boolean", false, ""],
      ["problem", 0, "object", false, ""],
      ["problem.code", 1, "string", false, ""],
    ],
  );
  assert.equal(typeOf({}, NO_REFS), "any");
});

test("the example of an operation is a command with its required members", () => {
  const document = DOCUMENTS.find(({ paths }) => "/v1/upload" in paths);
  assert.ok(document !== undefined);
  const operations = operationsOf(document);
  const command = (id: string): string =>
    exampleCommand(operations.find(({ operationId }) => operationId === id) as (typeof operations)[number], document);
  assert.equal(
    command("createUpload"),
    `curl -sS -X POST https://m.example/v1/upload -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"filename":"…","content_type":"…"}'`,
  );
  assert.equal(
    command("purgeFile"),
    `curl -sS -X DELETE https://m.example/v1/files/trash/FILE_ID -H "Authorization: Bearer $TOKEN"`,
  );
  assert.equal(exampleOf({ type: "integer", minimum: 7 }, NO_REFS), 7);
});

test("every operation has an example, its members and a permission", () => {
  for (const document of DOCUMENTS)
    for (const operation of operationsOf(document)) {
      assert.match(exampleCommand(operation, document), /^curl -sS /, operation.operationId);
      assert.equal(exampleCommand(operation, document).includes("$TOKEN"), permissionOf(operation) !== "public");
      const bodies = Object.values(operation.responses).flatMap(({ content }) => Object.values(content ?? {}));
      for (const { schema } of bodies) assert.ok(schema.type !== "object" || rowsOf(schema, document).length > 0);
    }
});
