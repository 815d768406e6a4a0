import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Principal } from "#domain/identity/access/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import {
  credentialOf,
  openGround,
  ORG_ID,
  PRIVATE_ID,
  PROJECT_ID,
  SYSTEM,
  tokenOf,
  type Ground,
} from "#domain/identity/testing.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { readState } from "./states.ts";

/** The attacks on adopting that `docs/access.md` refuses. */

let ground: Ground;
let identity: Identity;
let grounds = 0;

/** Returns the principal of a credential, as its tokens have it now. */
async function principalOf(id: string): Promise<Principal> {
  const state = await readState(ground.metadata, { id }, ground.clock.nowMs());
  assert.ok(state !== undefined);
  const { clientId, orgId, orgSlug, organization, projectId, projectState, scopes, withheld } = state;
  const place = { orgId, orgSlug, organization, projectId, projectState };
  return { kind: "credential", id, clientId, ...place, scopes, withheld };
}

const adopt = (actor: Principal | typeof SYSTEM, id: string) => identity.credentials.adopt({ actor }, id);
const seen = (id: string) => identity.credentials.get({ actor: SYSTEM }, id);
const leave = async (userId: string): Promise<void> => {
  await ground.setRole(userId, null);
  await identity.feed.sync();
};
const DAY_MS = 86_400_000;
const MAKER = ["credentials:write", "credentials:read", "files:read", "files:write"];

/** A credential that was created by a credential of the system. */
async function family(bounds: { expiresAtMs?: number; allowedAddresses?: string[] } = {}) {
  const input = { projectId: null, name: "parent", scopes: MAKER, ...bounds };
  const { credential: parent } = await identity.credentials.create({ actor: SYSTEM }, input);
  const child = await credentialOf(identity, { actor: await principalOf(parent.id), scopes: ["files:read"] });
  return { parent, child };
}

for (const { kind, skip } of DATABASES) {
  describe(kind, { skip }, () => {
    beforeEach(async () => {
      ground = await openGround(kind === "sqlite" ? {} : { url: await postgresUrl(`adopt ${++grounds}`) });
      identity = await ground.node();
    });
    afterEach(() => ground.close());

    describe("who adopts a credential", () => {
      test("gives it no more than they have, and never more than it had", async () => {
        const [admin, developer] = [await ground.person("admin"), await ground.person("developer")];
        const { id } = await credentialOf(identity, { actor: admin, scopes: ["files:read", "audit:read"] });
        const { credential } = await adopt(developer, id);
        assert.deepEqual([credential.scopes, credential.effectiveScopes], [["files:read"], ["files:read"]]);
        assert.deepEqual(credential.responsible, { kind: "person", id: developer.id, name: developer.id });
        assert.equal(credential.createdBy, admin.id, "the creator is history");
        const { credential: again } = await adopt(admin, id);
        assert.deepEqual(again.effectiveScopes, ["files:read"]);
      });

      test("makes an idle one work again, and its old tokens stay dead", async () => {
        const [leaver, heir] = [await ground.person("developer"), await ground.person("developer")];
        const client = await credentialOf(identity, { actor: leaver });
        const token = await tokenOf(identity, client);
        await leave(leaver.id);
        assert.equal((await seen(client.id)).condition.name, "idle");
        const { credential } = await adopt(heir, client.id);
        assert.deepEqual(
          [credential.condition, credential.effectiveScopes.length],
          [{ name: "active", reason: null }, 2],
        );
        await assert.rejects(identity.authenticator.authenticate(token), { code: "invalid_token" });
        await identity.authenticator.authenticate(await tokenOf(identity, client));
      });

      test("needs one of its permissions, and credentials:write where it belongs", async () => {
        const [viewer, owner] = [await ground.person("viewer"), await ground.person("owner")];
        const { id } = await credentialOf(identity, { scopes: ["audit:read"] });
        await assert.rejects(adopt(viewer, id), { code: "insufficient_scope", message: /credentials:write/ });
        const developer = await ground.person("developer");
        await assert.rejects(adopt(developer, id), { code: "insufficient_scope", message: /audit:read/ });
        const hidden = await credentialOf(identity, { projectId: PRIVATE_ID });
        await assert.rejects(adopt(owner, hidden.id), { code: "not_found" });
        const maintainer = await ground.person("viewer", { [PRIVATE_ID]: "maintainer" });
        await adopt(maintainer, hidden.id);
        const bound = await principalOf((await credentialOf(identity, { projectId: PROJECT_ID, scopes: MAKER })).id);
        await assert.rejects(adopt(bound, hidden.id), { code: "not_found" });
      });
    });

    describe("an adopted credential keeps the limits of its chain", () => {
      test("the addresses, of each earlier parent", async () => {
        const { child } = await family({ allowedAddresses: ["127.0.0.0/8"] });
        const owner = await ground.person("owner");
        await adopt(owner, child.id);
        const second = await identity.credentials.create(
          { actor: SYSTEM },
          { projectId: null, name: "second", scopes: MAKER, allowedAddresses: ["127.0.0.1", "192.0.2.1"] },
        );
        await adopt(await principalOf(second.credential.id), child.id);
        await adopt(owner, child.id);
        const { allows } = (await readState(ground.metadata, { id: child.id }, ground.clock.nowMs())) ?? {};
        assert.deepEqual(
          ["127.0.0.1", "127.0.0.2", "192.0.2.1"].map((ip) => allows?.(ip)),
          [true, false, false],
          "an address must be in both lists",
        );
      });

      test("the end, but not one that has passed", async () => {
        const endsAtMs = ground.clock.nowMs() + DAY_MS;
        const { child } = await family({ expiresAtMs: endsAtMs });
        const owner = await ground.person("owner");
        const { credential } = await adopt(owner, child.id);
        assert.equal(credential.expiresAtMs, endsAtMs);
        const late = await family({ expiresAtMs: endsAtMs });
        ground.clock.advance(DAY_MS);
        assert.deepEqual((await seen(child.id)).condition, {
          name: "ended",
          reason: "expired, at the end that it inherited when it was adopted",
        });
        await assert.rejects(adopt(owner, child.id), { code: "conflict" });
        assert.equal((await seen(late.child.id)).condition.reason, `expired with its parent ${late.parent.id}`);
        assert.equal((await adopt(owner, late.child.id)).credential.condition.name, "active");
      });

      test("also an S3 key", async () => {
        const endsAtMs = ground.clock.nowMs() + DAY_MS;
        const { credential: parent } = await identity.credentials.create(
          { actor: SYSTEM },
          { projectId: null, name: "maker", scopes: ["credentials:write", "s3:read"], expiresAtMs: endsAtMs },
        );
        const made = await identity.s3Keys.create(
          { actor: await principalOf(parent.id) },
          { projectId: null, name: "key", scopes: ["s3:read"] },
        );
        const owner = await ground.person("owner");
        const { credential } = await identity.s3Keys.adopt({ actor: owner }, made.key.id);
        assert.deepEqual([credential.expiresAtMs, credential.effectiveScopes], [endsAtMs, ["s3:read"]]);
        await identity.credentials.revoke({ actor: SYSTEM }, parent.id);
        assert.equal((await identity.s3Keys.get({ actor: SYSTEM }, made.key.id)).condition.name, "active");
      });
    });

    describe("nobody adopts", () => {
      test("a revoked credential, a personal token, or a child after a leak", async () => {
        const owner = await ground.person("owner");
        const revoked = await credentialOf(identity);
        await identity.credentials.revoke({ actor: SYSTEM }, revoked.id);
        await assert.rejects(adopt(owner, revoked.id), {
          code: "conflict",
          message: /was revoked\. Nobody can undo that/,
        });
        const input = { projectId: null, name: "docker", scopes: ["registry:pull"] };
        const { credential: personal } = await identity.credentials.createPersonal({ actor: owner }, owner, input);
        await assert.rejects(adopt(owner, personal.id), { code: "conflict", message: /belongs to one person/ });
        const { parent, child } = await family();
        await identity.credentials.revoke({ actor: SYSTEM }, parent.id, { reason: "leak" });
        assert.equal((await seen(child.id)).condition.reason, `revoked with its parent ${parent.id} after a leak`);
        await assert.rejects(adopt(owner, child.id), { code: "conflict", message: /after a leak/ });
        const other = await family();
        await identity.credentials.revoke({ actor: SYSTEM }, other.parent.id);
        assert.equal((await adopt(owner, other.child.id)).credential.condition.name, "active");
      });

      test("the credential on which they depend, so that no circle begins", async () => {
        const { parent, child } = await family();
        const grand = await credentialOf(identity, { actor: await principalOf(parent.id), scopes: MAKER });
        for (const id of [parent.id, grand.id])
          await assert.rejects(adopt(await principalOf(grand.id), id), {
            code: "conflict",
            message: /responsible for/,
          });
        await adopt(await principalOf(grand.id), child.id);
        assert.equal((await seen(child.id)).responsible.id, grand.id);
      });

      test("so that a chain has nine credentials", async () => {
        const chainOf = async (length: number): Promise<string[]> => {
          const ids: string[] = [];
          while (ids.length < length) {
            const last = ids.at(-1);
            const actor = last === undefined ? SYSTEM : await principalOf(last);
            ids.push((await credentialOf(identity, { actor, scopes: MAKER })).id);
          }
          return ids;
        };
        const [upper, lower] = [await chainOf(5), await chainOf(4)];
        const [last = "", above = ""] = upper.toReversed();
        const [first = ""] = lower;
        await assert.rejects(adopt(await principalOf(last), first), { code: "forbidden", message: /at most 8/ });
        await adopt(await principalOf(above), first);
        assert.equal((await seen(lower.at(-1) ?? "")).condition.name, "active");
      });
    });

    test("an owner adopts members:write only from an owner", async () => {
      const [owner, admin] = [await ground.person("owner"), await ground.person("admin")];
      const scopes = ["members:write", "files:read"];
      const weak = await credentialOf(identity, { actor: admin, scopes });
      assert.deepEqual((await adopt(owner, weak.id)).credential.scopes, ["files:read"]);
      const strong = await credentialOf(identity, { actor: await ground.person("owner"), scopes });
      assert.equal((await adopt(owner, strong.id)).credential.scopes.length, 2);
    });

    test("what it gains waits for an approval where the policy asks for one", async () => {
      await ground.organization({ policy: { approval_required: true } });
      const [leaver, heir, admin] = [
        await ground.person("admin"),
        await ground.person("developer"),
        await ground.person("admin"),
      ];
      const { id } = await credentialOf(identity, { actor: leaver });
      assert.equal((await adopt(heir, id)).credential.condition.name, "active", "it gains nothing");
      await leave(heir.id);
      assert.equal((await adopt(await ground.person("developer"), id)).credential.condition.name, "pending");
      await identity.credentials.approve({ actor: admin }, id);
      assert.equal((await seen(id)).condition.name, "active");
    });

    test("who leaves and comes back gets nothing back", async () => {
      const leaver = await ground.person("owner");
      const client = await credentialOf(identity, { actor: leaver });
      const token = await tokenOf(identity, client);
      await leave(leaver.id);
      const created_at = ground.clock.nowMs() + 1;
      await ground.metadata.write((tx) =>
        tx.insertInto("member").values({ org_id: ORG_ID, user_id: leaver.id, role: "owner", created_at }).execute(),
      );
      await ground.organization({ policy: {} });
      await identity.feed.sync();
      assert.equal((await seen(client.id)).condition.name, "idle");
      assert.deepEqual([...(await identity.authenticator.authenticate(token)).scopes], []);
      assert.equal((await adopt(leaver, client.id)).credential.condition.name, "active", "they can adopt it");
    });
  });
}
