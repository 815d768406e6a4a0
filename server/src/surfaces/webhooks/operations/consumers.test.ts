import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newConsumer, newEvent, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhookConsumers,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/consumers` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/consumers` })),
  },
  WITH_WEBHOOKS,
);

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
