import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PROJECT_STATES, SCOPES, stateAllows, type ProjectAction } from "@mooring/contract";
import { NOT_SUSPENDED } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import {
  columnsOf,
  deleteProjectRow,
  everyProject,
  insertProject,
  joinProject,
  newProject,
  oldestOpenProject,
  projectByName,
  projectVersion,
  rememberDeleted,
  requireStateAllows,
  resourceOf,
  setProjectState,
  statesWithout,
  withinProjects,
  withinReach,
  withOptionalProject,
  withProject,
  type Project,
  type Reach,
  type Visibility,
} from "./index.ts";

const ORG = "org_1";
const EVERYWHERE: Reach = { organization: true, visibleProjects: true, projectIds: [], exceptStates: [] };

function project(slug: string, visibility: Visibility = "organization"): Project {
  const names = { id: `proj_${slug}`, org_id: ORG, slug, name: slug };
  return newProject({ ...names, visibility, environment: null, created_at: 1 });
}

test("a state refuses actions with its own problem, and an active project allows everything", () => {
  for (const action of [...SCOPES, "webhooks:receive", "alerts:evaluate"] satisfies ProjectAction[]) {
    for (const state of PROJECT_STATES) {
      const isAllowed = stateAllows(state, action);
      assert.equal((statesWithout(action) as readonly string[]).includes(state), !isAllowed);
      const ask = (): void => requireStateAllows({ state }, action);
      if (isAllowed) ask();
      else assert.throws(ask, (error) => error instanceof Problem && error.code === `project_${state}`);
    }
    assert.ok(stateAllows("active", action));
  }
  assert.throws(() => requireStateAllows({ state: "archived" }, "files:write"), {
    message: "The project is archived: it can be read, but not changed. Unarchive it first.",
  });
});

test("the entity tag of a project is the same as in earlier versions", () => {
  const active = project("b");
  assert.equal(
    JSON.stringify(projectVersion(active)),
    '{"id":"proj_b","org_id":"org_1","slug":"b","name":"b","visibility":"organization","environment":null,"archived_at":null,"created_at":1,"state":"active"}',
  );
  assert.equal(
    JSON.stringify(projectVersion({ ...active, state: "archived", state_since: 7 })),
    '{"id":"proj_b","org_id":"org_1","slug":"b","name":"b","visibility":"organization","environment":null,"archived_at":7,"created_at":1,"state":"archived"}',
  );
});

for (const { kind, skip } of DATABASES) {
  describe(`projects on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-projects-"));
      const url = kind === "sqlite" ? undefined : await postgresUrl(dataDir);
      metadata = await openTestMetadata({ url, dataDir, clock: systemClock });
      await metadata.write(async (tx) => {
        const organization = { id: ORG, slug: "acme", name: "acme", token_lifetime_s: 900, policy: "{}" };
        await tx
          .insertInto("organization")
          .values({ ...organization, created_at: 1, ...NOT_SUSPENDED })
          .execute();
        for (const each of [project("a"), project("b"), project("c", "private")]) {
          assert.ok(await insertProject(tx, each));
          const app = { id: `app_${each.slug}`, org_id: ORG, project_id: each.id, slug: each.slug, name: each.slug };
          await tx
            .insertInto("app")
            .values({ ...app, created_at: 1 })
            .execute();
        }
        await setProjectState(tx, project("a"), { state: "archived", atMs: 7 });
      });
    });

    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    const apps = (db: Reader) => withProject(db.selectFrom("app").selectAll("app"), "app.project_id").orderBy("app.id");

    test("a project, and each row in it, has its state, by ID and by slug", async () => {
      const archived = { ...project("a"), state: "archived", state_since: 7 };
      assert.deepEqual(await projectByName(metadata.read, ORG, "proj_a"), archived);
      assert.deepEqual(await projectByName(metadata.read, ORG, "a"), archived);
      const active = await projectByName(metadata.read, ORG, "b");
      assert.deepEqual(active, project("b"));
      assert.equal(await projectByName(metadata.read, "org_2", "b"), undefined);
      const rows = await apps(metadata.read).execute();
      assert.deepEqual(
        rows.map(({ id, visibility, project_state }) => [id, visibility, project_state]),
        [
          ["app_a", "organization", "archived"],
          ["app_b", "organization", "active"],
          ["app_c", "private", "active"],
        ],
      );
      for (const row of rows) {
        const owner = await projectByName(metadata.read, ORG, row.project_id);
        assert.ok(owner !== undefined);
        assert.deepEqual(columnsOf(owner), { visibility: row.visibility, project_state: row.project_state });
        const { id, visibility, state } = owner;
        assert.deepEqual(resourceOf(row), { orgId: ORG, project: { id, visibility, state } });
      }
    });

    test("a list has the rows within reach, without those of projects whose state forbids the permission", async () => {
      const within = async (reach: Partial<Reach>): Promise<string[]> => {
        const asked = { ...EVERYWHERE, ...reach };
        const one = await apps(metadata.read).where(withinProjects(asked, "app.project_id")).execute();
        const optional = withOptionalProject(metadata.read.selectFrom("app").select("app.slug"), "app.project_id");
        const other = await optional.where(withinReach(asked, "app.project_id")).orderBy("app.id").execute();
        assert.deepEqual(
          one.map(({ slug }) => slug),
          other.map(({ slug }) => slug),
        );
        return one.map(({ slug }) => slug);
      };
      assert.deepEqual(await within({}), ["a", "b"]);
      assert.deepEqual(await within({ projectIds: ["proj_c"] }), ["a", "b", "c"]);
      assert.deepEqual(await within({ visibleProjects: false, projectIds: ["proj_a", "proj_c"] }), ["a", "c"]);
      assert.deepEqual(await within({ visibleProjects: false }), []);
      const writing = { exceptStates: statesWithout("files:write") };
      assert.deepEqual(await within({ ...writing, projectIds: ["proj_a", "proj_c"] }), ["b", "c"]);
      const names = joinProject(metadata.read.selectFrom("app"), "app.project_id").select("project.slug as of");
      assert.deepEqual(
        (await names.orderBy("app.id").execute()).map(({ of }) => of),
        ["a", "b", "c"],
      );
    });

    test("the oldest open project is visible to the organization and allows everything", async () => {
      assert.equal((await oldestOpenProject(metadata.read, ORG))?.slug, "b");
      await metadata.write((tx) => setProjectState(tx, project("a"), { state: "active", atMs: 8 }));
      assert.deepEqual(await oldestOpenProject(metadata.read, ORG), project("a"));
      await metadata.write((tx) => setProjectState(tx, project("a"), { state: "archived", atMs: 7 }));
    });

    test("every project is listed with its state, also deleted ones, in any number", async () => {
      const listed = async (): Promise<Map<string, string>> =>
        new Map(
          (await everyProject(metadata.read, ORG)).map(({ id, visibility, state }) => [id, `${visibility} ${state}`]),
        );
      const gone = project("gone", "private");
      await metadata.write(async (tx) => {
        await insertProject(tx, gone);
        await rememberDeleted(tx, gone, 9);
        await deleteProjectRow(tx, gone);
      });
      const few = new Map([
        ["proj_a", "organization archived"],
        ["proj_b", "organization active"],
        ["proj_c", "private active"],
        ["proj_gone", "private active"],
      ]);
      assert.deepEqual(await listed(), few);
      await metadata.write(async (tx) => {
        for (let n = 0; n < 200; n++) await insertProject(tx, project(`more-${n}`));
      });
      const many = await listed();
      assert.equal(many.size, 204);
      for (const [id, state] of few) assert.equal(many.get(id), state);
    });
  });
}
