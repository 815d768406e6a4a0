import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhookEvents,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/events` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/events` })),
  },
  WITH_WEBHOOKS,
);
