import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newEvent, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.getWebhookEvent,
  {
    ask: async (world) => {
      const webhook = await newWebhook(world);
      return { path: `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}` };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/events/evt_0` })),
  },
  WITH_WEBHOOKS,
);
