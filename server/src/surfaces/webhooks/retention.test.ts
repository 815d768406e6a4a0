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

test("events past their project's retention go, with what large ones hold, and what is younger stays", async () => {
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
  const job = { kind: "", key: "", group: "", payload: null, dueAtMs: 0, attempts: 0, fence: 0 };
  const handler = tidyHandler({ metadata, clock: systemClock, objects, retentionDays: 30 });
  await handler.run({ ...job, signal: new AbortController().signal });
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
