import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { ROWS } from "#stores/metadata/testing/suite/rows.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { deleteOrganizationRow, deleteSome } from "./store.ts";
import { ACCESS, CONTENTS, NOT_OF_ORGANIZATIONS, RECORDS } from "./tables.ts";

const STEPS = [...ACCESS, ...CONTENTS, ...RECORDS];
const ORG = "org_1";

test("every table with org_id has one step, and every other table a step by its parent, or a reason to stay", () => {
  for (const [table, row] of Object.entries(ROWS)) {
    const steps = STEPS.filter((step) => step.table === table);
    const reason = (NOT_OF_ORGANIZATIONS as Readonly<Record<string, string>>)[table];
    if ("org_id" in row) assert.equal(reason, undefined, `${table} has rows of organizations`);
    assert.equal(steps.length + (reason === undefined ? 0 : 1), 1, `${table} needs exactly one step or reason`);
    const [step] = steps;
    if (step === undefined) continue;
    assert.equal("org_id" in row, step.parent === undefined, `${table}: a parent is for tables without org_id`);
    for (const column of step.key) assert.ok(column in row, `${table} has the column ${column}`);
    assert.equal("blob_id" in row && table !== "blob_part", step.content !== undefined, `${table} holds content`);
  }
  for (const { table } of STEPS) assert.ok(table in ROWS, `${table} exists`);
  for (const table of Object.keys(NOT_OF_ORGANIZATIONS)) assert.ok(table in ROWS, `${table} exists`);
});

for (const { kind, skip } of DATABASES)
  test(`the steps delete every row of the organization, and no other, on ${kind}`, { skip }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "mooring-steps-"));
    const url = kind === "postgres" ? await postgresUrl(dataDir) : undefined;
    const metadata = await openTestMetadata({ url, dataDir, clock: { nowMs: () => 1 } });
    const count = async (table: string): Promise<number> =>
      (
        await metadata.read
          .selectFrom(table as "node")
          .selectAll()
          .execute()
      ).length;
    await metadata.write(async (tx) => {
      for (const [table, row] of Object.entries(ROWS))
        await tx
          .insertInto(table as "node")
          .values(row as never)
          .onConflict((on) => on.doNothing())
          .execute();
    });
    for (const step of STEPS) {
      assert.equal((await metadata.write((tx) => deleteSome(tx, step, "org_2"))).rows, 0, `${step.table} of another`);
      const before = await count(step.table);
      const { rows } = await metadata.write((tx) => deleteSome(tx, step, ORG));
      assert.equal(await count(step.table), before - rows, step.table);
      const { org_id: owner = ORG } = ROWS[step.table] as { readonly org_id?: string | null };
      assert.equal(rows, owner === ORG ? before : 0, `${step.table} has a row of the organization`);
    }
    for (const table of Object.keys(NOT_OF_ORGANIZATIONS)) assert.ok((await count(table)) > 0, `${table} stays`);
    await metadata.write((tx) => deleteOrganizationRow(tx, { id: ORG, slug: "acme" }, 5));
    assert.equal(await count("organization"), 0);
    const reserved = await metadata.read
      .selectFrom("deleted_organization")
      .select("slug")
      .where("id", "=", ORG)
      .execute();
    assert.deepEqual(
      reserved.map(({ slug }) => slug),
      ["acme"],
    );
    await metadata.close();
    rmSync(dataDir, { recursive: true });
  });
