import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChangeListener, ChangeRow } from "#domain/identity/changes/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import { credentialOf, openGround, ORG_ID, OTHER_ORG_ID, type Ground } from "#domain/identity/testing.ts";
import { CredentialStates } from "./states.ts";

let ground: Ground;
let identity: Identity;
before(async () => {
  ground = await openGround();
  identity = await ground.node();
});
after(() => ground.close());

function openStates(): { states: CredentialStates; listener: ChangeListener } {
  const listeners: ChangeListener[] = [];
  const subscribe = (listener: ChangeListener): void => void listeners.push(listener);
  const states = new CredentialStates(ground.metadata, ground.clock, { subscribe });
  const [listener] = listeners;
  assert.ok(listener);
  return { states, listener };
}

const change = (kind: ChangeRow["kind"], subject: string): ChangeRow[] => [
  { seq: 1, kind, subject, epoch: 0, at: 0, expires_at: null },
];

test("a state stays in memory until it or its organization changes", async () => {
  const { id, clientId } = await credentialOf(identity);
  const { states, listener } = openStates();
  const state = await states.byId(id);
  for (const unrelated of [
    change("credential", "cred_other"),
    change("organization", OTHER_ORG_ID),
    change("token", id),
    change("key", id),
  ]) {
    await listener.apply(unrelated);
    assert.equal(states.cachedById(id), state);
    assert.equal(states.cachedByClient(clientId), state);
  }
  for (const related of [change("credential", id), change("organization", ORG_ID)]) {
    await states.byClient(clientId);
    await listener.apply(related);
    assert.deepEqual([states.cachedById(id), states.cachedByClient(clientId)], [undefined, undefined]);
  }
  await states.byId(id);
  await listener.reset([]);
  assert.equal(states.cachedById(id), undefined);
});

test("a state that was read during a change is not kept, because it may be outdated", async () => {
  const { id } = await credentialOf(identity);
  for (const interrupt of [
    (listener: ChangeListener) => listener.apply(change("credential", id)),
    (listener: ChangeListener) => listener.reset([]),
  ]) {
    const { states, listener } = openStates();
    const reading = states.readById(id);
    await interrupt(listener);
    assert.equal((await reading)?.id, id);
    assert.equal(states.cachedById(id), undefined);
    await states.readById(id);
    assert.equal(states.cachedById(id)?.id, id);
  }
});

test("concurrent callers share one read, and a missing state is not remembered", async () => {
  const { id } = await credentialOf(identity);
  const { states } = openStates();
  assert.equal(states.readById(id), states.readById(id));
  assert.equal(await states.byId("cred_00000000000000000000000000"), undefined);
  assert.equal(await states.byClient("mrc_00000000000000000000000000"), undefined);
});
