import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "./index.ts";
import type { Route } from "./route.ts";

/** Members whose values give access. Addresses may have a secret in them. */
const SECRETS = new Set(
  (
    "access_token client_secret download_url key link recovery_codes reset_url same_origin_url secret secret_access_key " +
    "setup_url ticket token upload_url url webhook_url"
  ).split(" "),
);
/** The key of an object is its name. */
const NAMES = ["listObjects", "listObjectVersions", "getObject", "deleteObjects"];

const ROWS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, Route>>));

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Returns the members of a schema that may hold secrets. */
function secretsIn(schema: Schema | undefined): string[] {
  if (typeof schema !== "object") return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    ...(SECRETS.has(name) && holdsText(member) ? [name] : []),
    ...secretsIn(member),
  ]);
  return [...own, ...[schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(secretsIn)];
}

function holdsText(schema: Schema): boolean {
  return schema.type === "string" || schema.type === "array" || (schema.anyOf ?? []).some(holdsText);
}

test("a row is marked as secret exactly if its answer has a secret", () => {
  const differ = ROWS.flatMap(({ operationId, result, secret }) => {
    const found = secretsIn(result).filter((name) => name !== "key" || !NAMES.includes(operationId));
    return found.length > 0 === (secret === true) ? [] : [`${operationId}: ${found.join(" ")}`];
  });
  assert.deepEqual(differ, []);
});
