import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newDestination, newEvent, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.replayWebhookEvent,
  {
    ask: async (world) => {
      const webhook = await newWebhook(world);
      await newDestination(world, webhook.id);
      return { path: `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}/replay`, body: {} };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/events/evt_0/replay`, body: {} })),
    problems: {
      conflict: async (world) => {
        const webhook = await newWebhook(world);
        return { path: `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}/replay`, body: {} };
      },
    },
  },
  WITH_WEBHOOKS,
);
