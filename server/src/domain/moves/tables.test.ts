import assert from "node:assert/strict";
import { test } from "node:test";
import { SEALED_COLUMNS } from "#domain/identity/index.ts";
import { ROWS } from "#stores/metadata/testing.ts";
import { isSafePath } from "./format.ts";
import { LEFT_TABLES, MOVED_TABLES, type MovedTable } from "./tables.ts";

const moved = MOVED_TABLES.map(({ table }) => table);
const rowOf = ({ table }: MovedTable): Readonly<Record<string, unknown>> => ({ ...ROWS[table] });

test("every table moves with an organization, or stays with a reason", () => {
  const listed = [...moved, ...Object.keys(LEFT_TABLES)];
  assert.deepEqual(
    listed.toSorted(),
    [...new Set([...Object.keys(ROWS), "migration"])].toSorted(),
    "a new table must be in MOVED_TABLES or LEFT_TABLES, in exactly one of them",
  );
  for (const [table, reason] of Object.entries(LEFT_TABLES)) assert.ok(reason.length > 10, table);
});

test("a row that has an organization is read by it, and names only earlier tables", () => {
  const before = new Set<string>();
  for (const each of MOVED_TABLES) {
    const row = rowOf(each);
    if ("org_id" in row) assert.deepEqual(each.owner, { column: "org_id" }, each.table);
    for (const column of [...each.key, each.owner.column]) assert.ok(column in row, `${each.table}.${column}`);
    for (const [column, target] of Object.entries(each.names ?? {})) {
      assert.ok(column in row, `${each.table}.${column}`);
      assert.ok(before.has(target), `${each.table} names ${target}, which comes later`);
    }
    before.add(each.table);
  }
});

/** Columns that name a row of another table in nearly every table. */
const NAMING: Readonly<Record<string, string>> = {
  project_id: "project",
  repository: "app",
  bucket: "app",
  credential_id: "credential",
  webhook_id: "webhook",
  alert_id: "alert",
  query_id: "saved_query",
  group_id: "person_group",
  custom_role: "custom_role",
  user_id: "person",
};

test("an import compares every name of another row", () => {
  for (const each of MOVED_TABLES)
    for (const column of Object.keys(rowOf(each))) {
      const target = NAMING[column];
      // A passkey has an id of its authenticator in this column.
      if (target === undefined || (each.table === "passkey" && column === "credential_id")) continue;
      assert.equal(each.names?.[column], target, `${each.table}.${column}`);
    }
});

test("a sealed column of a table that moves leaves only under the passphrase", () => {
  for (const { table, column } of SEALED_COLUMNS)
    assert.ok(moved.includes(table) || table in LEFT_TABLES, `${table}.${column}`);
  const hashes = MOVED_TABLES.filter((each) => Object.keys(rowOf(each)).includes("hash_key"));
  assert.deepEqual(
    hashes.map(({ table, hash }) => [table, hash?.key]),
    [
      ["recovery_code", "hash_key"],
      ["credential_secret", "hash_key"],
      ["webhook_url", "hash_key"],
    ],
  );
});

test("a path of an export stays in the export", () => {
  for (const path of [
    "records/app.ndjson",
    "images/blobs/sha256/00ff",
    "contents.ndjson",
    "telemetry/logs/2026-11-20/seg_1.parquet",
  ])
    assert.ok(isSafePath(path), path);
  for (const path of [
    "../x",
    "records/../../x",
    "/etc/passwd",
    "files//x",
    "files/./x",
    "other/x",
    "master.key",
    "files/a\0b",
    "",
  ])
    assert.ok(!isSafePath(path), path);
});
