import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "@mooring/contract";
import { API_PARTS } from "./parts.ts";

/** Tables of the portal, which are not for programs, and of the operator, who has a separate document. */
const NOT_PUBLISHED = new Set(["OPERATOR_ROUTES", "PORTAL_ROUTES"]);

test("every table of operations is published", () => {
  const published = new Set(API_PARTS.flatMap(({ rows }) => rows.map(({ operationId }) => operationId)));
  const tables = Object.entries(contract).filter(([name]) => name.endsWith("_ROUTES") && !NOT_PUBLISHED.has(name));
  assert.ok(tables.length > 10, `${tables.length} tables`);
  for (const [name, rows] of tables)
    for (const { operationId } of Object.values(rows as Record<string, { operationId: string }>))
      assert.ok(published.has(operationId), `${operationId} of ${name}`);
});
