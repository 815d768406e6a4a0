import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhookConsumers,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/consumers` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/consumers` })),
  },
  WITH_WEBHOOKS,
);
