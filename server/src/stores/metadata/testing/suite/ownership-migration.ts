import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Writer } from "../../index.ts";
import type { DatabaseCases } from "./harness.ts";
import { migrated } from "./migrated.ts";

async function addCredentials(tx: Writer): Promise<void> {
  await sql`insert into organization (id, slug, name, token_lifetime_s, policy, created_at)
    values (${"org_1"}, ${"acme"}, ${"Acme"}, ${900}, ${"{}"}, ${1})`.execute(tx);
  for (const [id, createdAt] of [
    ["user_stayed", 1],
    ["user_returned", 9],
  ] as const) {
    await sql`insert into person (id, email, name, instance_admin, created_at)
      values (${id}, ${`${id}@example.org`}, ${id}, ${0}, ${1})`.execute(tx);
    await sql`insert into member (org_id, user_id, role, created_at)
      values (${"org_1"}, ${id}, ${"developer"}, ${createdAt})`.execute(tx);
  }
  for (const creator of ["user_stayed", "user_returned", "user_left", "cred_1", "system"]) {
    await sql`insert into credential (id, kind, client_id, org_id, name, scopes, created_by, created_at, epoch)
      values (${`of_${creator}`}, ${"app"}, ${`of_${creator}`}, ${"org_1"}, ${"x"}, ${"files:read"}, ${creator}, ${5}, ${1})`.execute(
      tx,
    );
    await sql`insert into s3_key (id, access_key, org_id, name, scopes, prefix, secret, created_by, created_at)
      values (${`key_${creator}`}, ${`key_${creator}`}, ${"org_1"}, ${"x"}, ${"s3:read"}, ${""}, ${Buffer.of(1)}, ${creator}, ${5})`.execute(
      tx,
    );
  }
}

/** Tests how 0055 migrates older credentials: their creator stays responsible, with the permissions of before. */
export const OWNERSHIP_MIGRATION: DatabaseCases = {
  "the creators of older credentials and keys are responsible for them, also if they left and came back": async (
    database,
  ) => {
    const store = await migrated(database, "0055-credential-ownership", addCredentials);
    try {
      for (const table of ["credential", "s3_key"] as const) {
        const rows = await store.read
          .selectFrom(table)
          .select(["created_by", "responsible", "responsible_since", "inherited", "end_reason"])
          .orderBy("id")
          .execute();
        assert.deepEqual(
          rows.map(({ created_by, ...row }) => [created_by, row]),
          ["cred_1", "system", "user_left", "user_returned", "user_stayed"].map((creator) => {
            const responsible_since = creator === "user_returned" ? 9 : 5;
            return [creator, { responsible: creator, responsible_since, inherited: null, end_reason: null }];
          }),
        );
      }
    } finally {
      await store.close();
    }
  },
};
