import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newConsumer, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.deleteWebhookConsumer,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      return { path: `${PATH}/${id}/consumers/${await newConsumer(world, id)}` };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/consumers/billing` })),
  },
  WITH_WEBHOOKS,
);
