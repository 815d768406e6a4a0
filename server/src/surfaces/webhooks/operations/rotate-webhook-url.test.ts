import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.rotateWebhookUrl,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/rotate-url`, body: { grace_s: 3600 } }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/rotate-url`, body: { grace_s: 3600 } })),
  },
  WITH_WEBHOOKS,
);
