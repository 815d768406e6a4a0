import { WEBHOOK_ROUTES } from "@mooring/contract";
import { newId } from "#kernel/ids.ts";
import { WEBHOOK_REPLAY_EVENTS_MAX } from "#kernel/limits.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import type { World } from "../../organization/testing/world.ts";
import {
  newDestination,
  newEvent,
  newWebhook,
  PATH,
  webhookPairs,
  WITH_WEBHOOKS,
  type MadeWebhook,
} from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhookDeliveries,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      return { path: `${PATH}/${id}/destinations/${await newDestination(world, id)}/deliveries` };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/destinations/dest_0/deliveries` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.replayWebhookDeliveries,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      return { path: `${PATH}/${id}/destinations/${await newDestination(world, id)}/replay`, body: {} };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/destinations/dest_0/replay`, body: {} })),
    problems: {
      conflict: async (world) => {
        const webhook = await newWebhook(world);
        const id = await newDestination(world, webhook.id);
        await fill(world, webhook, await newEvent(world, webhook));
        const body = { from: "2000-01-01T00:00:00Z" };
        return { path: `${PATH}/${webhook.id}/destinations/${id}/replay`, body };
      },
    },
  },
  WITH_WEBHOOKS,
);

/** Inserts into the records directly: more events than one request may send again. */
async function fill(world: World, webhook: MadeWebhook, eventId: string): Promise<void> {
  const { metadata } = world;
  const query = metadata.read.selectFrom("webhook_event").selectAll().where("id", "=", eventId);
  const event = await query.executeTakeFirstOrThrow();
  await metadata.write(async (tx) => {
    for (let at = 0; at <= WEBHOOK_REPLAY_EVENTS_MAX; at += 500) {
      const rows = Array.from({ length: 500 }, (_, i) => ({ ...event, id: newId("evt", i), seq: -1 - at - i }));
      await tx
        .insertInto("webhook_event")
        .values(rows.map((row) => ({ ...row, webhook_id: webhook.id })))
        .execute();
    }
  });
}
