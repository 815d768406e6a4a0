import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { tidyHandler } from "#domain/webhooks/index.ts";
import { systemClock } from "#kernel/time.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import { createWorld, type World } from "../organization/testing/world.ts";
import { newEvent, newWebhook, PATH, withWebhooks } from "./testing/webhooks.ts";

const DAY_MS = 86_400_000;
let world: World;
let objects: ObjectStore;

before(async () => {
  world = await createWorld(withWebhooks((given) => (objects = given)));
});
after(() => world.close());

async function tidy(): Promise<void> {
  const job = { kind: "", key: "", group: "", payload: null, dueAtMs: 0, attempts: 0, fence: 0 };
  const handler = tidyHandler({
    metadata: world.metadata,
    clock: trustedClock(systemClock),
    objects,
    retentionDays: 30,
  });
  await handler.run({ ...job, signal: new AbortController().signal });
}

test("events past their project's retention are deleted with their content, and younger ones stay", async () => {
  const webhook = await newWebhook(world);
  const [old, large, young] = [
    await newEvent(world, webhook),
    await newEvent(world, webhook, { text: "x".repeat(100_000) }),
    await newEvent(world, webhook),
  ];
  const token = await world.token();
  const settings = `/v1/projects/${world.acme.open.id}/webhook-settings`;
  await world.call("PATCH", settings, { token, body: { retention_days: 7 } });
  const receivedAt = systemClock.nowMs() - 8 * DAY_MS;
  await world.metadata.write(async (tx) => {
    const query = tx.updateTable("webhook_event").set({ received_at: receivedAt });
    await query.where("id", "in", [old, large]).execute();
  });
  const { metadata } = world;
  await tidy();
  const left = await world.call("GET", `${PATH}/${webhook.id}/events`, { token });
  assert.deepEqual(
    (left.json["items"] as { id: string }[]).map(({ id }) => id),
    [young],
  );
  const usage = await metadata.read
    .selectFrom("webhook_usage")
    .selectAll()
    .where("org_id", "=", world.acme.id)
    .execute();
  assert.deepEqual([usage[0]?.events, usage[0]?.purged], [1, 2]);
  const blobs = await metadata.read.selectFrom("blob").select("refs").where("org_id", "=", world.acme.id).execute();
  assert.deepEqual(blobs, [{ refs: 0 }]);
});

test("a webhook may have another retention than its project", async () => {
  const [short, other] = [await newWebhook(world), await newWebhook(world)];
  const events = [await newEvent(world, short), await newEvent(world, other)];
  const token = await world.token();
  const changed = await world.call("PATCH", `${PATH}/${short.id}`, { token, body: { retention_days: 3 } });
  assert.deepEqual([changed.status, changed.json["retention_days"]], [200, 3]);
  await world.metadata.write(async (tx) => {
    const query = tx.updateTable("webhook_event").set({ received_at: systemClock.nowMs() - 4 * DAY_MS });
    await query.where("id", "in", events).execute();
  });
  await tidy();
  const left = async ({ id }: { id: string }): Promise<unknown> =>
    ((await world.call("GET", `${PATH}/${id}/events`, { token })).json["items"] as unknown[]).length;
  assert.deepEqual([await left(short), await left(other)], [0, 1]);
  const again = await world.call("PATCH", `${PATH}/${short.id}`, { token, body: { retention_days: null } });
  assert.equal(again.json["retention_days"], null);
});
