import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Writer } from "../../index.ts";
import type { DatabaseCases } from "./harness.ts";
import { migrated } from "./migrated.ts";

async function addProjects(tx: Writer): Promise<void> {
  await sql`insert into organization (id, slug, name, token_lifetime_s, policy, created_at)
    values (${"org_1"}, ${"acme"}, ${"Acme"}, ${900}, ${"{}"}, ${1})`.execute(tx);
  for (const [slug, archivedAt] of [
    ["open", null],
    ["old", 1_700_000_000_123],
    ["first", 0],
  ] as const)
    await sql`insert into project (id, org_id, slug, name, visibility, environment, archived_at, created_at)
      values (${`proj_${slug}`}, ${"org_1"}, ${slug}, ${slug}, ${"private"}, ${"staging"}, ${archivedAt}, ${1})`.execute(
      tx,
    );
}

/** Tests how migration 0053 converts existing projects. */
export const PROJECTS_MIGRATION: DatabaseCases = {
  "projects from before there was one column for their state keep their state and its time": async (database) => {
    const store = await migrated(database, "0053-project-states", addProjects);
    try {
      const projects = await store.read.selectFrom("project").selectAll().orderBy("id").execute();
      const later = { trashed_at: null, former_slug: null, deletion_lock: 0 };
      const common = { org_id: "org_1", visibility: "private", environment: "staging", created_at: 1, ...later };
      const row = (slug: string, state: string, state_since: number | null) => {
        return { id: `proj_${slug}`, slug, name: slug, ...common, state, state_since };
      };
      assert.deepEqual(projects, [
        row("first", "archived", 0),
        row("old", "archived", 1_700_000_000_123),
        row("open", "active", null),
      ]);
    } finally {
      await store.close();
    }
  },
};
