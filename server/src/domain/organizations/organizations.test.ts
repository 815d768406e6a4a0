import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { verifyAudit } from "#domain/audit/index.ts";
import { goPastLimit, type Tried } from "#domain/limits/testing/edge.ts";
import { projectByName } from "#domain/projects/index.ts";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import { newSecret } from "#kernel/secrets.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import {
  acceptInvitation,
  bootstrapOrganization,
  changeMember,
  createApp,
  createProject,
  deleteProject,
  findApp,
  ensureSetupLink,
  invite,
  listMembers,
  listProjectMembers,
  personPrincipal,
  removeMember,
  removeProjectMember,
  revokeInvitation,
  setProjectMember,
  SYSTEM,
  updateOrganization,
  updateProject,
  useSetupLink,
  verifyPassword,
  type Bootstrapped,
  type Caller,
} from "./index.ts";

const run = promisify(execFile);
const PASSWORD = "correct horse battery";
const ORIGIN = { ip: null, requestId: null };
const HOUR_MS = 3_600_000;

function coded(code: ProblemCode, words = /./): (error: unknown) => boolean {
  return (error) => error instanceof Problem && error.code === code && words.test(error.message);
}

for (const { kind, skip } of DATABASES) {
  describe(`organizations on ${kind}`, { skip }, () => {
    let dataDir: string;
    let url: string | undefined;
    let metadata: MetadataStore;
    let aheadMs = 0;
    let counter = 0;
    const clock = { nowMs: () => systemClock.nowMs() + aheadMs };
    const deps = (): { metadata: MetadataStore; clock: typeof clock } => ({ metadata, clock });

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-organizations-"));
      url = kind === "sqlite" ? undefined : await postgresUrl(dataDir);
      metadata = await openTestMetadata({ url, dataDir, clock });
    });

    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    /** Creates an organization whose owner has a password. */
    async function createOrganization(): Promise<Bootstrapped & { owns: Caller }> {
      const made = await bootstrapOrganization(deps(), { org: `org-${++counter}`, project: "web", app: "shop" });
      const principal = await useSetupLink(
        deps(),
        { token: made.setupToken ?? "", name: "Owner", password: PASSWORD },
        ORIGIN,
      );
      return { ...made, owns: { principal, ip: null, requestId: null } };
    }

    async function addMember(orgId: string, role: "owner" | "admin" | "developer" | "viewer"): Promise<string> {
      const { token } = await invite(deps(), SYSTEM, orgId, { email: `person-${++counter}@example.org`, role });
      return (await acceptInvitation(deps(), { token, name: role, password: PASSWORD }, ORIGIN)).person.id;
    }

    async function as(orgId: string, userId: string): Promise<Caller> {
      const principal = await personPrincipal(metadata.read, orgId, userId, systemClock.nowMs());
      assert.ok(principal !== undefined);
      return { principal, ip: null, requestId: null };
    }

    async function maintainers(orgId: string, slug: string): Promise<string[]> {
      const project = await projectByName(metadata.read, orgId, slug);
      assert.ok(project !== undefined);
      const { items } = await listProjectMembers(deps(), project, { limit: 100 });
      return items.filter((member) => member.role === "maintainer").map((member) => member.user_id);
    }

    describe("bootstrap", () => {
      test("finds an existing organization, with a new link until the owner is set up", async () => {
        const input = { org: "acme", project: "web", app: "shop" };
        const first = await bootstrapOrganization(deps(), input);
        const second = await bootstrapOrganization(deps(), input);
        const ids = (made: Bootstrapped): string[] => [
          made.organization.id,
          made.project.id,
          made.app.id,
          made.owner.id,
        ];
        assert.deepEqual(ids(first), ids(second));
        assert.equal(first.owner.email, "owner@acme.localhost");
        assert.notEqual(first.setupToken, second.setupToken);
        await useSetupLink(deps(), { token: second.setupToken ?? "", name: "Owner", password: PASSWORD }, ORIGIN);
        assert.equal((await bootstrapOrganization(deps(), input)).setupToken, null);
        assert.equal((await verifyAudit(deps(), first.organization.id)).ok, true);
      });

      test("creates one of each when several processes run it at once", async () => {
        const input = { org: "crowded", project: "web", app: "shop" };
        const script = fileURLToPath(new URL("./testing/run-bootstrap.ts", import.meta.url));
        const args = [script, dataDir, "crowded", ...(url === undefined ? [] : [url])];
        const others = [1, 2].map(() => run(process.execPath, args));
        const here = await Promise.all([1, 2, 3].map(() => bootstrapOrganization(deps(), input)));
        const outputs = (await Promise.all(others)).map(
          ({ stdout }) => JSON.parse(stdout) as { ids: string[]; hasLink: boolean },
        );
        const ids = new Set(
          [
            ...here.map((made) => [made.organization.id, made.project.id, made.app.id, made.owner.id]),
            ...outputs.map((output) => output.ids),
          ].map(String),
        );
        assert.equal(ids.size, 1);
        assert.ok(outputs.every((output) => output.hasLink));
        assert.equal((await verifyAudit(deps(), here[0]?.organization.id ?? "")).ok, true);
      });

      test("refuses an invalid slug, and an app of another project", async () => {
        const good = { org: "fine", project: "web", app: "shop" };
        for (const bad of [
          { org: "X" },
          { org: "-a" },
          { org: "a" },
          { project: "a_b" },
          { app: "ab" },
          { app: "1.2.3.4" },
          { ownerEmail: "nobody" },
        ]) {
          await assert.rejects(
            bootstrapOrganization(deps(), { ...good, ...bad }),
            coded("invalid_request", /^cannot bootstrap: /),
          );
        }
        await bootstrapOrganization(deps(), good);
        await assert.rejects(
          bootstrapOrganization(deps(), { ...good, project: "other" }),
          coded("conflict", /belongs to the project web/),
        );
      });

      test("does not take over another organization's account with the generated address", async () => {
        const { organization } = await createOrganization();
        const org = `org-${++counter}`;
        const { token } = await invite(deps(), SYSTEM, organization.id, {
          email: `owner@${org}.localhost`,
          role: "viewer",
        });
        await acceptInvitation(deps(), { token, name: "Squatter", password: PASSWORD }, ORIGIN);
        const input = { org, project: "web", app: "shop" };
        await assert.rejects(bootstrapOrganization(deps(), input), coded("conflict", /--owner-email/));
        const made = await bootstrapOrganization(deps(), { ...input, ownerEmail: `real@${org}.example` });
        assert.notEqual(made.setupToken, null);
      });

      test("a named owner is added to the existing owners", async () => {
        const input = { org: "named", project: "web", app: "shop" };
        await bootstrapOrganization(deps(), input);
        const made = await bootstrapOrganization(deps(), { ...input, ownerEmail: "Boss@Example.org" });
        assert.equal(made.owner.email, "boss@example.org");
        const { items } = await listMembers(deps(), made.organization.id, { limit: 10 });
        assert.deepEqual(items.map((member) => `${member.email} ${member.role}`).toSorted(), [
          "boss@example.org owner",
          "owner@named.localhost owner",
        ]);
      });

      test("a start prints a link for the oldest organization until it is set up", async () => {
        const link = await ensureSetupLink(deps(), "http://127.0.0.1:1");
        assert.equal(link, null); // acme, the first organization of these tests, is set up.
      });
    });

    describe("set-up links", () => {
      test("work once, for a day, and are refused in the same words", async () => {
        const input = { org: "linked", project: "web", app: "shop" };
        const { setupToken: late } = await bootstrapOrganization(deps(), input);
        aheadMs += 24 * HOUR_MS;
        const words = /^This set-up link does not work/;
        const use = (token: string): Promise<unknown> =>
          useSetupLink(deps(), { token, name: "Owner", password: PASSWORD }, ORIGIN);
        await assert.rejects(use(late ?? ""), coded("not_found", words));
        const [one, two] = [await bootstrapOrganization(deps(), input), await bootstrapOrganization(deps(), input)];
        await use(one.setupToken ?? "");
        await assert.rejects(use(one.setupToken ?? ""), coded("not_found", words));
        await assert.rejects(use(two.setupToken ?? ""), coded("not_found", words));
        await assert.rejects(use(newSecret("mrst")), coded("not_found", words));
        await assert.rejects(use("mrst_x"), coded("not_found", words));
      });

      test("one of many concurrent uses of a link succeeds", async () => {
        const { setupToken } = await bootstrapOrganization(deps(), { org: "raced", project: "web", app: "shop" });
        const uses = await Promise.allSettled(
          [1, 2, 3, 4].map((i) =>
            useSetupLink(deps(), { token: setupToken ?? "", name: `Owner ${i}`, password: PASSWORD }, ORIGIN),
          ),
        );
        assert.equal(uses.filter((use) => use.status === "fulfilled").length, 1);
      });

      test("leave the password as argon2id, and no token in the records", async () => {
        const { setupToken, owner } = await bootstrapOrganization(deps(), { org: "kept", project: "web", app: "shop" });
        await useSetupLink(deps(), { token: setupToken ?? "", name: "Owner", password: PASSWORD }, ORIGIN);
        const person = await metadata.read
          .selectFrom("person")
          .selectAll()
          .where("id", "=", owner.id)
          .executeTakeFirstOrThrow();
        assert.equal(await verifyPassword(PASSWORD, person.password_hash ?? ""), true);
        const links = await metadata.read.selectFrom("setup_link").selectAll().execute();
        assert.ok(!JSON.stringify(links).includes(setupToken ?? "none"));
      });
    });

    describe("owners", () => {
      test("nobody can demote or remove the last one", async () => {
        const { organization, owner, owns } = await createOrganization();
        for (const caller of [owns, SYSTEM]) {
          await assert.rejects(
            changeMember(deps(), caller, organization.id, { userId: owner.id, role: "admin" }),
            coded("conflict", /last owner/),
          );
          await assert.rejects(
            removeMember(deps(), caller, organization.id, { userId: owner.id, orphans: null }),
            coded("conflict", /last owner/),
          );
        }
      });

      test("of two owners who leave at once, one stays", async () => {
        const { organization, owner } = await createOrganization();
        const second = await addMember(organization.id, "owner");
        const leaving = await Promise.allSettled(
          [owner.id, second].map((userId) => removeMember(deps(), SYSTEM, organization.id, { userId, orphans: null })),
        );
        assert.deepEqual(leaving.map((result) => result.status).toSorted(), ["fulfilled", "rejected"]);
        const { items } = await listMembers(deps(), organization.id, { limit: 10 });
        assert.equal(items.filter((member) => member.role === "owner").length, 1);
      });

      test("only owners make, change and remove owners", async () => {
        const { organization, owner } = await createOrganization();
        const orgId = organization.id;
        const admin = await as(orgId, await addMember(orgId, "admin"));
        const viewer = await addMember(orgId, "viewer");
        const second = await addMember(orgId, "owner");
        await assert.rejects(changeMember(deps(), admin, orgId, { userId: viewer, role: "owner" }), coded("forbidden"));
        await assert.rejects(
          changeMember(deps(), admin, orgId, { userId: second, role: "viewer" }),
          coded("forbidden"),
        );
        await assert.rejects(removeMember(deps(), admin, orgId, { userId: second, orphans: null }), coded("forbidden"));
        await assert.rejects(
          invite(deps(), admin, orgId, { email: "x@example.org", role: "owner" }),
          coded("forbidden"),
        );
        assert.equal((await changeMember(deps(), admin, orgId, { userId: viewer, role: "admin" })).role, "admin");
        const owning = await as(orgId, owner.id);
        assert.equal((await changeMember(deps(), owning, orgId, { userId: second, role: "viewer" })).role, "viewer");
      });
    });

    describe("limits", () => {
      const tried = async (create: Promise<unknown>): Promise<Tried> => {
        const problem = await create.then(
          () => undefined,
          (error: unknown) => error,
        );
        if (problem === undefined) return { status: 201, json: {} };
        if (!(problem instanceof Problem && problem.code === "limit_reached")) throw problem as Error;
        return { status: 409, json: { code: problem.code, detail: problem.message } };
      };

      test("an organization has at most the set number of members", async () => {
        const { organization } = await createOrganization();
        await goPastLimit(metadata, "members_max", () => tried(addMember(organization.id, "viewer")));
      });

      test("a project has at most the set number of members, whose roles can still be changed", async () => {
        const { organization, project, owns } = await createOrganization();
        const people: string[] = [];
        for (let i = 0; i <= 3; i++) people.push(await addMember(organization.id, "viewer"));
        const set = (n: number, role: "reader" | "writer") =>
          tried(setProjectMember(deps(), owns, project, { userId: people[n] ?? "", role }));
        await goPastLimit(metadata, "project_members_max", (n) => set(n, "reader"));
        const limits = metadata.limits as { project_members_max: number };
        const usual = limits.project_members_max;
        limits.project_members_max = 1;
        assert.equal((await set(2, "writer")).status, 201);
        limits.project_members_max = usual;
      });
    });

    describe("private projects", () => {
      test("belong to their creator, and keep a maintainer", async () => {
        const { organization, owner, owns } = await createOrganization();
        const orgId = organization.id;
        const project = await createProject(deps(), owns, orgId, { slug: "vault", visibility: "private" });
        assert.deepEqual(await maintainers(orgId, "vault"), [owner.id]);
        await assert.rejects(
          removeProjectMember(deps(), owns, project, { userId: owner.id }),
          coded("conflict", /last maintainer/),
        );
        await assert.rejects(
          setProjectMember(deps(), owns, project, { userId: owner.id, role: "reader" }),
          coded("conflict", /last maintainer/),
        );
        const other = await addMember(orgId, "developer");
        await setProjectMember(deps(), await as(orgId, owner.id), project, { userId: other, role: "maintainer" });
        await removeProjectMember(deps(), owns, project, { userId: owner.id });
        assert.deepEqual(await maintainers(orgId, "vault"), [other]);
      });

      test("need a maintainer who is a member", async () => {
        const { organization } = await createOrganization();
        const other = await createOrganization();
        const make = (maintainer?: string): Promise<unknown> =>
          createProject(deps(), SYSTEM, organization.id, { slug: "vault", visibility: "private", maintainer });
        await assert.rejects(make(), coded("invalid_body"));
        await assert.rejects(make(other.owner.id), coded("invalid_body"));
        await assert.rejects(make("user_none"), coded("invalid_body"));
        assert.equal(await projectByName(metadata.read, organization.id, "vault"), undefined);
      });

      test("get an owner as maintainer when their only maintainer leaves the organization", async () => {
        const { organization, owner, owns } = await createOrganization();
        const orgId = organization.id;
        const leaver = await addMember(orgId, "developer");
        await createProject(deps(), await as(orgId, leaver), orgId, { slug: "orphan", visibility: "private" });
        const admin = await as(orgId, await addMember(orgId, "admin"));
        await removeMember(deps(), admin, orgId, { userId: leaver, orphans: null });
        assert.deepEqual(await maintainers(orgId, "orphan"), [owner.id]);
        assert.equal(owns.principal.kind, "person");
      });

      test("are made from open projects with the caller as maintainer, or not at all", async () => {
        const { organization, owner, project, owns } = await createOrganization();
        await assert.rejects(
          updateProject(deps(), SYSTEM, project, { change: { visibility: "private" }, ifMatch: undefined }),
          coded("conflict"),
        );
        await updateProject(deps(), owns, project, { change: { visibility: "private" }, ifMatch: undefined });
        assert.deepEqual(await maintainers(organization.id, "web"), [owner.id]);
      });
    });

    test("a project goes to the trash with an app that is created meanwhile, and its slug is free", async () => {
      const { organization } = await createOrganization();
      const trashing = { ...deps(), trash: { days: 7 } };
      const other = await createProject(deps(), SYSTEM, organization.id, { slug: "empty" });
      const [made, deleted] = await Promise.allSettled([
        createApp(deps(), SYSTEM, other, { slug: "late-app" }),
        deleteProject(trashing, SYSTEM, other),
      ]);
      assert.equal(deleted.status, "fulfilled");
      if (made.status === "rejected") assert.equal((made.reason as { code: string }).code, "not_found");
      assert.equal(await findApp(deps(), organization.id, "late-app"), undefined);
      await assert.rejects(createApp(deps(), SYSTEM, other, { slug: "later" }), coded("not_found"));
      const again = await createProject(deps(), SYSTEM, organization.id, { slug: "empty" });
      assert.equal((await createApp(deps(), SYSTEM, again, { slug: "late-app" })).slug, "late-app");
    });

    test("two organizations may use the same slug, one organization may not", async () => {
      const [one, two] = [await createOrganization(), await createOrganization()];
      await assert.rejects(
        createProject(deps(), SYSTEM, one.organization.id, { slug: "web" }),
        coded("duplicate_slug"),
      );
      await assert.rejects(createApp(deps(), SYSTEM, one.project, { slug: "shop" }), coded("duplicate_slug"));
      assert.equal(one.app.slug, two.app.slug);
    });

    describe("invitations", () => {
      test("are for people who are not members yet, one at a time", async () => {
        const { organization, owner } = await createOrganization();
        const orgId = organization.id;
        const again = (email: string): Promise<{ invitation: { id: string } }> =>
          invite(deps(), SYSTEM, orgId, { email, role: "viewer" });
        await assert.rejects(again(owner.email), coded("conflict", /already a member/));
        const { invitation } = await again("New@Example.org");
        await assert.rejects(again("new@example.org"), coded("conflict", /already invited/));
        await revokeInvitation(deps(), SYSTEM, orgId, invitation.id);
        await again("new@example.org");
      });

      test("expire at their time, and end with their creator", async () => {
        const { organization, owns } = await createOrganization();
        const orgId = organization.id;
        const admin = await addMember(orgId, "admin");
        const late = await invite(deps(), owns, orgId, { email: `late-${++counter}@example.org`, role: "viewer" });
        aheadMs += 7 * 24 * HOUR_MS;
        const accept = (token: string): Promise<unknown> =>
          acceptInvitation(deps(), { token, name: "New", password: PASSWORD }, ORIGIN);
        await assert.rejects(accept(late.token), coded("not_found"));
        const orphaned = await invite(deps(), await as(orgId, admin), orgId, {
          email: `new-${++counter}@example.org`,
          role: "viewer",
        });
        await removeMember(deps(), SYSTEM, orgId, { userId: admin, orphans: null });
        await assert.rejects(accept(orphaned.token), coded("not_found"));
        await assert.rejects(accept(newSecret("mriv")), coded("not_found"));
      });

      test("open no existing account without its password, and no account that waits for its set-up", async () => {
        const [victim, attacker] = [await createOrganization(), await createOrganization()];
        const waiting = await bootstrapOrganization(deps(), { org: `org-${++counter}`, project: "web", app: "shop" });
        for (const email of [victim.owner.email, waiting.owner.email]) {
          const { token } = await invite(deps(), attacker.owns, attacker.organization.id, { email, role: "viewer" });
          await assert.rejects(
            acceptInvitation(deps(), { token, name: "Mine", password: "an attacker's own" }, ORIGIN),
            coded("forbidden"),
          );
        }
        const { token } = await invite(deps(), SYSTEM, attacker.organization.id, {
          email: `honest-${++counter}@example.org`,
          role: "viewer",
        });
        const { person } = await acceptInvitation(deps(), { token, name: "Honest", password: PASSWORD }, ORIGIN);
        const second = await invite(deps(), victim.owns, victim.organization.id, {
          email: person.email,
          role: "developer",
        });
        const joined = await acceptInvitation(deps(), { token: second.token, password: PASSWORD }, ORIGIN);
        assert.deepEqual([joined.person.id, joined.person.name, joined.role], [person.id, "Honest", "developer"]);
      });

      test("make one member when they are accepted many times at once", async () => {
        const { organization } = await createOrganization();
        const { token } = await invite(deps(), SYSTEM, organization.id, {
          email: `once-${++counter}@example.org`,
          role: "viewer",
        });
        const uses = await Promise.allSettled(
          [1, 2, 3].map(() => acceptInvitation(deps(), { token, name: "New", password: PASSWORD }, ORIGIN)),
        );
        assert.equal(uses.filter((use) => use.status === "fulfilled").length, 1);
      });
    });

    test("a change of access is in the feed of changes, in the same transaction", async () => {
      const { organization, owns, project } = await createOrganization();
      const orgId = organization.id;
      const userId = await addMember(orgId, "admin");
      const assertInFeed = async (change: () => Promise<unknown>): Promise<void> => {
        const count = async (): Promise<number> =>
          (
            await metadata.read
              .selectFrom("auth_change")
              .select("seq")
              .where("kind", "=", "organization")
              .where("subject", "=", orgId)
              .execute()
          ).length;
        const before_ = await count();
        await change();
        assert.ok((await count()) > before_);
      };
      await assertInFeed(() => changeMember(deps(), owns, orgId, { userId, role: "viewer" }));
      await assertInFeed(() => setProjectMember(deps(), owns, project, { userId, role: "writer" }));
      await assertInFeed(() => removeProjectMember(deps(), owns, project, { userId }));
      await assertInFeed(() =>
        updateProject(deps(), owns, project, { change: { visibility: "private" }, ifMatch: undefined }),
      );
      await assertInFeed(() =>
        updateOrganization(deps(), owns, orgId, {
          change: { policy: { allowed_scopes: ["apps:read"] } },
          ifMatch: undefined,
        }),
      );
      await assertInFeed(() => removeMember(deps(), owns, orgId, { userId, orphans: null }));
      assert.equal((await verifyAudit(deps(), orgId)).ok, true);
    });
  });
}
