import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { SCOPES } from "@mooring/contract";
import type { CredentialPrincipal, Identity } from "#domain/identity/index.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import {
  credentialOf,
  openGround,
  ORG_ID,
  OTHER_ORG_ID,
  PRIVATE_ID,
  PROJECT_ID,
  SYSTEM,
  tokenOf,
  type Ground,
} from "#domain/identity/testing.ts";
import type { ActorContext } from "./actor.ts";

let ground: Ground;
let identity: Identity;
before(async () => {
  ground = await openGround();
  identity = await ground.node();
});
after(() => ground.close());
beforeEach(async () => {
  await ground.organization({ policy: {}, token_lifetime_s: 900 });
  await identity.feed.sync();
});

const system: ActorContext = { actor: SYSTEM, ip: "192.0.2.1", requestId: "req_1" };
const create = (acting: ActorContext, input: Partial<Parameters<Identity["credentials"]["create"]>[1]> = {}) =>
  identity.credentials.create(acting, { projectId: null, name: "c", scopes: ["files:read"], ...input });

/** Returns a credential as the actor. */
async function acting(options: Parameters<typeof credentialOf>[1]): Promise<ActorContext & { id: string }> {
  const made = await credentialOf(identity, options);
  const principal = (await identity.authenticator.authenticate(await tokenOf(identity, made))) as CredentialPrincipal;
  return { actor: principal, id: made.id };
}

const refuses = (work: Promise<unknown>, code: string, message = /./): Promise<void> =>
  assert.rejects(work, { code, message });

test("a new credential shows its secret once and keeps a keyed hash of it", async () => {
  const { credential, clientSecret } = await create(system, { scopes: ["files:write", "files:read", "files:read"] });
  assert.match(credential.clientId, /^mrc_[0-9a-z]{26}$/);
  assert.ok(isWellFormedSecret("mrcs", clientSecret));
  assert.deepEqual(credential.scopes, ["files:read", "files:write"]);
  assert.equal(credential.secrets[0]?.hint, clientSecret.slice(-4));
  const everything = JSON.stringify([
    await ground.metadata.read.selectFrom("credential_secret").selectAll().execute(),
    await ground.metadata.read.selectFrom("audit").selectAll().execute(),
    await identity.credentials.get(system, credential.id),
  ]);
  assert.equal(everything.includes(clientSecret), false);
  assert.equal(everything.includes(clientSecret.slice(5, 30)), false);
});

test("invalid input is refused with its place", async () => {
  for (const [input, pointer] of [
    [{ scopes: ["files:read", "files:everything"] }, "/scopes/1"],
    [{ scopes: [] }, "/scopes"],
    [{ name: "" }, "/name"],
    [{ name: "x".repeat(101) }, "/name"],
    [{ name: "a\nb" }, "/name"],
    [{ expiresAtMs: ground.clock.nowMs() }, "/expires_at"],
  ] as const) {
    await assert.rejects(
      create(system, input),
      (error: { code: string; options: { errors: { pointer: string }[] } }) => {
        assert.deepEqual([error.code, error.options.errors[0]?.pointer], ["invalid_body", pointer]);
        return true;
      },
    );
  }
  assert.equal((await create(system, { name: "x".repeat(100) })).credential.name.length, 100);
});

test("nobody gives permissions that they lack, and the error names the missing permissions", async () => {
  const developer = { actor: await ground.person("developer") };
  await create(developer, { scopes: ["files:read", "credentials:write"] });
  await refuses(
    create(developer, { scopes: ["files:read", "org:write", "audit:read"] }),
    "insufficient_scope",
    /org:write audit:read$/,
  );
  await refuses(create({ actor: await ground.person("viewer") }), "insufficient_scope", /credentials:write/);
  const narrow = await acting({ scopes: ["credentials:write", "files:read"] });
  await create(narrow, { scopes: ["files:read"] });
  await refuses(create(narrow, { scopes: ["files:write"] }), "insufficient_scope", /files:write/);
});

test("a credential of a project creates for that project only", async () => {
  const bound = await acting({ scopes: ["credentials:write", "files:read"], projectId: PROJECT_ID });
  await create(bound, { projectId: PROJECT_ID });
  await refuses(create(bound, { projectId: null }), "forbidden", /project_id/);
  await refuses(create(bound, { projectId: PRIVATE_ID }), "not_found");
});

test("a maintainer creates for a project with their permissions there", async () => {
  const maintainer = { actor: await ground.person("viewer", { [PRIVATE_ID]: "maintainer" }) };
  const { credential } = await create(maintainer, { projectId: PRIVATE_ID, scopes: ["files:delete"] });
  assert.deepEqual(credential.effectiveScopes, ["files:delete"]);
  await refuses(create(maintainer, { projectId: null }), "insufficient_scope", /credentials:write/);
  await refuses(create({ actor: await ground.person("owner") }, { projectId: PRIVATE_ID }), "not_found");
  await refuses(create(maintainer, { projectId: "proj_00000000000000000000000099" }), "not_found");
});

test("the organization's policy bounds scopes and lifetime, at creation and later", async () => {
  await ground.organization({
    policy: { allowed_scopes: ["files:read", "apps:read"], credential_lifetime_days_max: 2 },
  });
  await refuses(create(system, { scopes: ["files:read", "files:write"] }), "forbidden", /files:write/);
  const DAY_MS = 86_400_000;
  const { credential } = await create(system, {
    scopes: ["files:read", "apps:read"],
    expiresAtMs: ground.clock.nowMs() + 9 * DAY_MS,
  });
  assert.equal(credential.expiresAtMs, ground.clock.nowMs() + 2 * DAY_MS);
  await ground.organization({ policy: { allowed_scopes: ["apps:read"], credential_lifetime_days_max: 1 } });
  const later = await identity.credentials.get(system, credential.id);
  assert.deepEqual([later.scopes, later.effectiveScopes], [["apps:read", "files:read"], ["apps:read"]]);
  assert.equal(later.expiresAtMs, ground.clock.nowMs() + DAY_MS);
});

test("scopes follow the creator's current role, and come back with it", async () => {
  const creator = await ground.person("owner");
  const { credential } = await create({ actor: creator }, { scopes: ["org:write", "files:write", "files:read"] });
  const effective = async (): Promise<readonly string[]> =>
    (await identity.credentials.get(system, credential.id)).effectiveScopes;
  await ground.setRole(creator.id, "developer");
  assert.deepEqual(await effective(), ["files:read", "files:write"]);
  await ground.setRole(creator.id, "viewer");
  assert.deepEqual(await effective(), ["files:read"]);
  await ground.setRole(creator.id, "owner");
  assert.equal((await effective()).length, 3);
  await ground.setRole(creator.id, null);
  assert.deepEqual(await effective(), []);
});

test("revoking a credential revokes all credentials that it created, directly or not", async () => {
  const parent = await acting({ scopes: ["credentials:write", "files:read", "files:write"] });
  const child = await acting({ actor: parent.actor, scopes: ["credentials:write", "files:read", "files:write"] });
  const grandchild = await credentialOf(identity, { actor: child.actor, scopes: ["files:read", "files:write"] });
  const token = await tokenOf(identity, grandchild);
  await identity.credentials.update(system, parent.id, { scopes: ["credentials:write", "files:read"] });
  assert.deepEqual([...(await identity.authenticator.authenticate(token)).scopes], ["files:read"]);
  await identity.credentials.revoke(system, parent.id);
  await refuses(identity.authenticator.authenticate(token), "invalid_token");
  await refuses(tokenOf(identity, grandchild), "unauthorized");
});

test("credentials create credentials eight deep, no deeper", async () => {
  let last = await acting({ scopes: ["credentials:write"] });
  for (let depth = 1; depth < 8; depth++) {
    last = await acting({ actor: last.actor, scopes: ["credentials:write"] });
    assert.equal((await identity.credentials.get(system, last.id)).effectiveScopes.length, 1, `depth ${depth}`);
  }
  await refuses(create(last, { scopes: ["credentials:write"] }), "forbidden", /at most 8 of them/);
});

test("two secrets work during an overlap, never three", async () => {
  const first = await credentialOf(identity);
  const { clientSecret: second } = await identity.credentials.rotate(system, first.id, { overlapS: 60 });
  await tokenOf(identity, first);
  await tokenOf(identity, { ...first, clientSecret: second });
  const { clientSecret: third, credential } = await identity.credentials.rotate(system, first.id, { overlapS: 60 });
  assert.equal(credential.secrets.length, 2);
  await refuses(tokenOf(identity, first), "unauthorized");
  await tokenOf(identity, { ...first, clientSecret: second });
  await tokenOf(identity, { ...first, clientSecret: third });
  ground.clock.advance(60_000);
  await refuses(tokenOf(identity, { ...first, clientSecret: second }), "unauthorized");
  await tokenOf(identity, { ...first, clientSecret: third });
  assert.equal((await identity.credentials.get(system, first.id)).secrets.length, 1);
});

test("the overlap is a day by default; 0 ends the old secret at once; more than thirty days is refused", async () => {
  const made = await credentialOf(identity);
  const { credential } = await identity.credentials.rotate(system, made.id);
  assert.equal(credential.secrets[1]?.expiresAtMs, ground.clock.nowMs() + 86_400_000);
  const { clientSecret } = await identity.credentials.rotate(system, made.id, { overlapS: 0 });
  await refuses(tokenOf(identity, made), "unauthorized");
  await tokenOf(identity, { ...made, clientSecret });
  for (const overlapS of [-1, 0.5, 30 * 86_400 + 1])
    await refuses(identity.credentials.rotate(system, made.id, { overlapS }), "invalid_body");
  await identity.credentials.rotate(system, made.id, { overlapS: 30 * 86_400 });
});

test("nobody rotates a credential whose scopes exceed theirs, even while its creator's role limits it", async () => {
  const admin = await ground.person("admin");
  const developer = { actor: await ground.person("developer") };
  const { credential } = await create({ actor: admin }, { scopes: ["files:read", "org:write"] });
  await ground.setRole(admin.id, "developer");
  await refuses(identity.credentials.rotate(developer, credential.id), "insufficient_scope", /org:write/);
  await identity.credentials.update(developer, credential.id, { scopes: ["files:read"] });
  await identity.credentials.rotate(developer, credential.id);
  await ground.organization({ policy: { allowed_scopes: ["files:read"] } });
  const { credential: wide } = await create(system, { scopes: ["files:read"] });
  await identity.credentials.rotate(developer, wide.id);
});

test("an invalid expiry is refused, not ignored", async () => {
  await refuses(create(system, { expiresAtMs: Number.NaN }), "invalid_body");
});

test("twenty rotations at once leave two live secrets", async () => {
  const made = await credentialOf(identity);
  await Promise.all(Array.from({ length: 20 }, () => identity.credentials.rotate(system, made.id)));
  assert.equal((await identity.credentials.get(system, made.id)).secrets.length, 2);
});

test("a caller with fewer permissions than the credential gets no secret of it", async () => {
  const strong = await credentialOf(identity, { scopes: [...SCOPES] });
  const developer = { actor: await ground.person("developer") };
  await refuses(identity.credentials.rotate(developer, strong.id), "insufficient_scope", /org:write/);
  await refuses(
    identity.credentials
      .update(developer, strong.id, { scopes: [...SCOPES].toReversed() })
      .then(() => identity.credentials.rotate(developer, strong.id)),
    "insufficient_scope",
  );
  const weak = await credentialOf(identity, { scopes: ["files:read"] });
  await refuses(
    identity.credentials.update(developer, weak.id, { scopes: ["files:read", "audit:read"] }),
    "insufficient_scope",
    /audit:read/,
  );
  await identity.credentials.update(developer, weak.id, { scopes: ["files:read", "apps:read"] });
});

test("a second revocation changes nothing, and a revoked credential can't be changed", async () => {
  const made = await credentialOf(identity);
  const first = await identity.credentials.revoke(system, made.id);
  ground.clock.advance(1_000);
  assert.deepEqual(await identity.credentials.revoke(system, made.id), first);
  await refuses(identity.credentials.rotate(system, made.id), "conflict");
  await refuses(identity.credentials.update(system, made.id, { name: "x" }), "conflict");
  const rows = await ground.metadata.read
    .selectFrom("audit")
    .select("action")
    .where("target_id", "=", made.id)
    .execute();
  assert.deepEqual(
    rows.map((row) => row.action),
    ["credential.create", "credential.revoke"],
  );
});

test("every operation hides the credentials of another organization", async () => {
  const made = await credentialOf(identity);
  const stranger: ActorContext = { actor: { kind: "system", id: null, orgId: OTHER_ORG_ID } };
  for (const id of [made.id, "cred_00000000000000000000000000"]) {
    for (const act of [
      () => identity.credentials.get(stranger, id),
      () => identity.credentials.update(stranger, id, { name: "x" }),
      () => identity.credentials.rotate(stranger, id),
      () => identity.credentials.revoke(stranger, id),
    ]) {
      await refuses(act(), "not_found", /^This resource does not exist, or you may not see it\.$/);
    }
  }
});

test("a list shows the credentials that its reader may see, page by page, newest first", async () => {
  const reader = { actor: await ground.person("developer", { [PRIVATE_ID]: "reader" }) };
  const maintainer = { actor: await ground.person("viewer", { [PRIVATE_ID]: "maintainer" }) };
  const made: Record<string, string> = {};
  for (const [name, projectId] of [
    ["org", null],
    ["open", PROJECT_ID],
    ["closed", PRIVATE_ID],
  ] as const) {
    ground.clock.advance(1);
    made[name] = (await credentialOf(identity, { projectId })).id;
  }
  const seen = async (as: ActorContext, projectId?: string): Promise<string[]> => {
    const found: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await identity.credentials.list(as, {
        limit: 3,
        cursor,
        projectId,
      });
      assert.ok(page.items.length <= 3);
      found.push(...page.items.map((item) => item.id));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    assert.equal(new Set(found).size, found.length);
    assert.equal(
      found.slice(0, 3).every((id, i) => i === 0 || id < (found[i - 1] ?? "")),
      true,
    );
    return Object.keys(made).filter((name) => found.includes(made[name] ?? ""));
  };
  assert.deepEqual(await seen(system), ["org", "open", "closed"]);
  assert.deepEqual(
    await seen(reader),
    ["org", "open", "closed"],
    "a member's role in the organization counts in their private project",
  );
  assert.deepEqual(await seen({ actor: await ground.person("admin") }), ["org", "open"]);
  assert.deepEqual(await seen(maintainer), ["closed"]);
  assert.deepEqual(await seen({ actor: await ground.person("viewer") }), []);
  assert.deepEqual(await seen(await acting({ scopes: ["credentials:read"], projectId: PROJECT_ID })), ["open"]);
  assert.deepEqual(await seen(system, PROJECT_ID), ["open"]);
  await refuses(identity.credentials.get({ actor: await ground.person("admin") }, made["closed"] ?? ""), "not_found");
});

test("the audit log has each action with its actor, address and object", async () => {
  const made = await create(system, { name: "audited" });
  await identity.credentials.update(system, made.credential.id, { name: "renamed", scopes: ["apps:read"] });
  await identity.credentials.rotate(system, made.credential.id);
  await identity.credentials.revoke(system, made.credential.id);
  const rows = await ground.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("target_id", "=", made.credential.id)
    .orderBy("seq")
    .execute();
  assert.deepEqual(
    rows.map((row) => row.action),
    ["credential.create", "credential.update", "credential.rotate", "credential.revoke"],
  );
  for (const row of rows)
    assert.deepEqual(
      [row.org_id, row.actor_kind, row.actor_id, row.ip, row.request_id],
      [ORG_ID, "system", "test", "192.0.2.1", "req_1"],
    );
  assert.deepEqual(JSON.parse(rows[1]?.detail ?? ""), { name: "renamed", raised: "apps:read", lowered: "files:read" });
});
