import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.pollWebhookEvents,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/poll?limit=5` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/poll?limit=5` })),
  },
  WITH_WEBHOOKS,
);
