import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newConsumer, newEvent, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.claimWebhookEvents,
  {
    ask: async (world) => {
      const webhook = await newWebhook(world);
      await newEvent(world, webhook);
      return { path: `${PATH}/${webhook.id}/consumers/${await newConsumer(world, webhook.id)}/claim`, body: {} };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/consumers/billing/claim`, body: {} })),
    problems: {
      conflict: async (world) => {
        const webhook = await newWebhook(world);
        await newEvent(world, webhook);
        const path = `${PATH}/${webhook.id}/consumers/${await newConsumer(world, webhook.id)}/claim`;
        await world.call("POST", path, { token: await world.token(), body: {} });
        return { path, body: {} };
      },
    },
  },
  WITH_WEBHOOKS,
);
