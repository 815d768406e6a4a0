import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newConsumer, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.createWebhookConsumer,
  {
    ask: async (world) => ({
      path: `${PATH}/${(await newWebhook(world)).id}/consumers`,
      body: { name: "billing" },
    }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/consumers`, body: { name: "billing" } })),
    problems: {
      conflict: async (world) => {
        const { id } = await newWebhook(world);
        return { path: `${PATH}/${id}/consumers`, body: { name: await newConsumer(world, id) } };
      },
    },
  },
  WITH_WEBHOOKS,
);
