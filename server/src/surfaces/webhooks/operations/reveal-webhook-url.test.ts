import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.revealWebhookUrl,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/reveal-url` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/reveal-url` })),
  },
  WITH_WEBHOOKS,
);
