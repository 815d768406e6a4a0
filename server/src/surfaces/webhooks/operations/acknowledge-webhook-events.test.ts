import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newConsumer, newEvent, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.acknowledgeWebhookEvents,
  {
    ask: async (world) => {
      const webhook = await newWebhook(world);
      await newEvent(world, webhook);
      const path = `${PATH}/${webhook.id}/consumers/${await newConsumer(world, webhook.id)}`;
      const claimed = await world.call("POST", `${path}/claim`, { token: await world.token(), body: {} });
      return { path: `${path}/acknowledge`, body: { lease_id: claimed.json["lease_id"] } };
    },
    hidden: (world) =>
      webhookPairs(world, (id) => ({ path: `${PATH}/${id}/consumers/billing/acknowledge`, body: { lease_id: "x" } })),
    problems: {
      conflict: async (world) => {
        const { id } = await newWebhook(world);
        const path = `${PATH}/${id}/consumers/${await newConsumer(world, id)}/acknowledge`;
        return { path, body: { lease_id: "lease_of_before" } };
      },
    },
  },
  WITH_WEBHOOKS,
);
