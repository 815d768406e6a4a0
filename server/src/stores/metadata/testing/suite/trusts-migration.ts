import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Writer } from "../../index.ts";
import type { DatabaseCases } from "./harness.ts";
import { migrated } from "./migrated.ts";

async function addTrusts(tx: Writer): Promise<void> {
  await sql`insert into organization (id, slug, name, token_lifetime_s, policy, created_at)
    values (${"org_1"}, ${"acme"}, ${"Acme"}, ${900}, ${"{}"}, ${1})`.execute(tx);
  await addCredential(tx, "live", { projectId: "proj_1", revokedAt: null });
  await addCredential(tx, "wide", { projectId: null, revokedAt: null });
  await addCredential(tx, "revoked", { projectId: "proj_1", revokedAt: 7 });
}

async function addCredential(
  tx: Writer,
  id: string,
  { projectId, revokedAt }: { projectId: string | null; revokedAt: number | null },
): Promise<void> {
  await sql`insert into credential (id, kind, client_id, org_id, project_id, name, scopes, created_by, created_at, revoked_at, epoch)
    values (${id}, ${"app"}, ${id}, ${"org_1"}, ${projectId}, ${id}, ${"files:read"}, ${"user_1"}, ${1}, ${revokedAt}, ${1})`.execute(
    tx,
  );
  for (const name of ["main", "tags"])
    await sql`insert into credential_trust (id, org_id, credential_id, name, issuer, audience, subject, claims, created_by, created_at)
      values (${`${id}_${name}`}, ${"org_1"}, ${id}, ${name}, ${"https://token.example"}, ${"https://id.example"}, ${"repo:*"}, ${"{}"}, ${"user_1"}, ${1})`.execute(
      tx,
    );
}

/** Tests how 0047 migrates older trusts. */
export const TRUSTS_MIGRATION: DatabaseCases = {
  "older trusts get the project of their credential, and trusts of revoked credentials are deleted": async (
    database,
  ) => {
    const store = await migrated(database, "0047-trust-projects", addTrusts);
    try {
      const trusts = await store.read.selectFrom("credential_trust").select(["id", "project_id"]).execute();
      assert.deepEqual(Object.fromEntries(trusts.map(({ id, project_id }) => [id, project_id])), {
        live_main: "proj_1",
        live_tags: "proj_1",
        wide_main: null,
        wide_tags: null,
      });
      const credentials = await store.read.selectFrom("credential").select("id").execute();
      assert.equal(credentials.length, 3);
    } finally {
      await store.close();
    }
  },
};
