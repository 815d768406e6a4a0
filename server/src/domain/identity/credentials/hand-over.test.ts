import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type { Identity } from "#domain/identity/index.ts";
import { credentialOf, openGround, ORG_ID, PROJECT_ID, tokenOf, type Ground } from "#domain/identity/testing.ts";
import { heirOf, passOn, revokeCredentialsOfProject } from "./hand-over.ts";
import { contextsOf } from "./store.ts";

let ground: Ground;
let identity: Identity;
beforeEach(async () => {
  ground = await openGround();
  identity = await ground.node();
});
afterEach(() => ground.close());

test("a credential that was passed on keeps working, bounded by its new owner", async () => {
  const [leaver, heir, third] = [
    await ground.person("owner"),
    await ground.person("viewer"),
    await ground.person("owner"),
  ];
  const handed = await credentialOf(identity, { actor: leaver });
  const others = await credentialOf(identity, { actor: third });
  const token = await tokenOf(identity, handed);
  const passed = await ground.metadata.write(async (tx) => {
    const contexts = await contextsOf(tx, "credential", [handed.id]);
    return Promise.all(contexts.map((context) => passOn(ground, tx, { context, heir: heirOf(heir) })));
  });
  assert.deepEqual(passed, [true]);
  await ground.setRole(leaver.id, null);
  await identity.feed.sync();
  await assert.rejects(identity.authenticator.authenticate(token), /permissions of the credential were changed/);
  const next = await tokenOf(identity, handed);
  assert.deepEqual([...(await identity.authenticator.authenticate(next)).scopes], ["files:read"]);
  assert.equal((await identity.authenticator.authenticate(await tokenOf(identity, others))).scopes.size, 2);
});

test("trusts are deleted with their credential, in every way of revoking it", async () => {
  const [alone, ofProject, stays] = [
    await credentialOf(identity),
    await credentialOf(identity, { projectId: PROJECT_ID }),
    await credentialOf(identity),
  ];
  const acting = { actor: { kind: "system", id: null, orgId: ORG_ID } } as const;
  const trust = { issuer: "https://token.example", subject: "repo:acme/*" };
  for (const [i, { id }] of [alone, ofProject, stays].entries())
    await identity.trusts.create(acting, id, { ...trust, name: `ci ${i}` });
  const left = async (): Promise<(string | null)[][]> =>
    (await ground.metadata.read.selectFrom("credential_trust").selectAll().orderBy("name").execute()).map((row) => [
      row.credential_id,
      row.project_id,
    ]);
  assert.deepEqual(await left(), [
    [alone.id, null],
    [ofProject.id, PROJECT_ID],
    [stays.id, null],
  ]);
  await identity.credentials.revoke(acting, alone.id);
  await ground.metadata.write((tx) => revokeCredentialsOfProject(ground, tx, { orgId: ORG_ID, projectId: PROJECT_ID }));
  assert.deepEqual(await left(), [[stays.id, null]]);
});

test("deleting a project revokes its live credentials, and no others", async () => {
  const inside = [
    await credentialOf(identity, { projectId: PROJECT_ID }),
    await credentialOf(identity, { projectId: PROJECT_ID }),
  ];
  const outside = await credentialOf(identity);
  const tokens = await Promise.all(inside.map((client) => tokenOf(identity, client)));
  const revoke = (): Promise<string[]> =>
    ground.metadata.write((tx) => revokeCredentialsOfProject(ground, tx, { orgId: ORG_ID, projectId: PROJECT_ID }));
  assert.deepEqual((await revoke()).toSorted(), inside.map((client) => client.id).toSorted());
  await identity.feed.sync();
  for (const token of tokens)
    await assert.rejects(identity.authenticator.authenticate(token), { code: "invalid_token", message: /revoked/ });
  await identity.authenticator.authenticate(await tokenOf(identity, outside));
  assert.deepEqual(await revoke(), []);
});
