import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Scope } from "@mooring/contract";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Identity } from "../identity.ts";
import { openGround, ORG_ID, PROJECT_ID, SYSTEM, type Ground } from "../testing.ts";
import { endPersonalTokens, heirOf, passOn, revokeCredentialsOfProject } from "./hand-over.ts";
import { KINDS, tableOf, TABLES } from "./kinds.ts";
import { contextsOf } from "./store.ts";

test("every kind's table is found by the prefix of an ID, and its lists have a unique order", () => {
  for (const { table } of Object.values(KINDS)) {
    const { idPrefix, order } = TABLES[table];
    assert.equal(tableOf(`${idPrefix}_00000000000000000000000001`), table);
    assert.equal(order.at(-1), "id", "the last column is unique");
  }
});

for (const { kind: database, skip } of DATABASES) {
  describe(`kinds of credentials on ${database}`, { skip }, () => {
    let ground: Ground;
    let identity: Identity;
    let directory: string;

    before(async () => {
      directory = mkdtempSync(join(tmpdir(), "mooring-kinds-"));
      ground = await openGround(database === "sqlite" ? {} : { url: await postgresUrl(directory) });
      identity = await ground.node();
    });
    after(async () => {
      await ground.close();
      rmSync(directory, { recursive: true });
    });

    const acting = { actor: SYSTEM };
    const scopes: Scope[] = ["s3:read", "apps:write"];

    /** Creates one credential of each kind, with the same creator and project. */
    async function both(actor: Parameters<Identity["s3Keys"]["create"]>[0]["actor"], projectId: string | null = null) {
      const input = { name: "one", projectId, scopes };
      const { credential } = await identity.credentials.create({ actor }, input);
      const { key } = await identity.s3Keys.create({ actor }, input);
      return { app: credential.id, s3: key.id };
    }

    const read = async ({ app, s3 }: { app: string; s3: string }) => ({
      app: await identity.credentials.get(acting, app),
      s3: await identity.s3Keys.get(acting, s3),
    });

    test("the last use of each kind is stored, once a minute", async () => {
      const made = await both(SYSTEM);
      const other = await ground.node();
      other.usage.touch(made.app);
      other.usage.touch(made.s3);
      await other.stop();
      const { app, s3 } = await read(made);
      assert.deepEqual([app.lastUsedAtMs, s3.lastUsedAtMs], [ground.clock.nowMs(), ground.clock.nowMs()]);
      assert.equal(s3.etag, (await identity.s3Keys.get(acting, s3.accessKeyId)).etag, "a use changes no version");
    });

    test("a credential is revoked with the credential that created it, and an S3 key loses its permissions", async () => {
      const held: Scope[] = ["credentials:write", ...scopes];
      const { credential: parent } = await identity.credentials.create(acting, {
        name: "parent",
        projectId: null,
        scopes: held,
      });
      const { id, clientId } = parent;
      const organization = { state: "active", reason: null } as const;
      const place = { orgId: ORG_ID, orgSlug: "acme", organization, projectId: null };
      const made = await both({ kind: "credential", id, clientId, ...place, scopes: new Set(held) });
      const before = await read(made);
      assert.deepEqual([before.app.effectiveScopes, before.s3.effectiveScopes], [before.app.scopes, before.s3.scopes]);
      await identity.credentials.revoke(acting, id);
      const { app, s3 } = await read(made);
      assert.deepEqual([app.revokedWith, app.revokedAtMs], [id, ground.clock.nowMs()]);
      assert.deepEqual([s3.revokedAtMs, s3.effectiveScopes], [null, []]);
    });

    test("deleting a project revokes its credentials, but not its S3 keys", async () => {
      const made = await both(SYSTEM, PROJECT_ID);
      const deps = { metadata: ground.metadata, clock: ground.clock };
      const project = { orgId: ORG_ID, projectId: PROJECT_ID };
      const revoked = await ground.metadata.write((tx) => revokeCredentialsOfProject(deps, tx, project));
      assert.deepEqual(revoked, [made.app]);
      const { app, s3 } = await read(made);
      assert.deepEqual([app.revokedAtMs, s3.revokedAtMs], [ground.clock.nowMs(), null]);
    });

    test("an organization's credentials are passed on with their current permissions; a person's credentials are revoked", async () => {
      const developer = await ground.person("developer");
      const made = await both(developer);
      const input = { name: "docker", projectId: null, scopes: ["registry:pull"] };
      const { credential: personal } = await identity.credentials.createPersonal(
        { actor: developer },
        developer,
        input,
      );
      await ground.setRole(developer.id, "viewer");
      const heir = await ground.person("owner");
      const deps = { metadata: ground.metadata, clock: ground.clock };
      await ground.metadata.write(async (tx) => {
        const contexts = [
          ...(await contextsOf(tx, "credential", [made.app])),
          ...(await contextsOf(tx, "s3_key", [made.s3])),
        ];
        for (const context of contexts) assert.ok(await passOn(deps, tx, { context, heir: heirOf(heir) }));
        await endPersonalTokens(deps, tx, ORG_ID, developer.id);
      });
      for (const { createdBy, responsible, scopes: left, effectiveScopes } of Object.values(await read(made))) {
        assert.deepEqual([createdBy, responsible.id], [developer.id, heir.id]);
        assert.deepEqual([left, effectiveScopes], [["s3:read"], ["s3:read"]]);
      }
      const ended = await identity.credentials.get(acting, personal.id);
      assert.deepEqual([ended.createdBy, ended.revokedAtMs], [developer.id, ground.clock.nowMs()]);
    });

    test("the audit log names each kind, and no credential is found as another kind", async () => {
      const made = await both(SYSTEM);
      await identity.credentials.update(acting, made.app, { name: "two" });
      await identity.s3Keys.update(acting, made.s3, { name: "two" });
      await identity.credentials.revoke(acting, made.app);
      await identity.s3Keys.revoke(acting, made.s3);
      for (const [id, name] of [
        [made.app, "credential"],
        [made.s3, "s3_key"],
      ] as const) {
        const entries = await ground.metadata.read
          .selectFrom("audit")
          .select(["action", "target_kind"])
          .where("target_id", "=", id)
          .orderBy("seq")
          .execute();
        assert.deepEqual(
          entries.map(({ action, target_kind }) => [action, target_kind]),
          ["create", "update", "revoke"].map((act) => [`${name}.${act}`, name]),
        );
      }
      await assert.rejects(identity.credentials.get(acting, made.s3), { code: "not_found" });
      await assert.rejects(identity.s3Keys.get(acting, made.app), { code: "not_found" });
    });
  });
}
