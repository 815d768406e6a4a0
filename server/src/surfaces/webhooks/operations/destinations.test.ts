import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newDestination, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhookDestinations,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/destinations` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/destinations` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.createWebhookDestination,
  {
    ask: async (world) => ({
      path: `${PATH}/${(await newWebhook(world)).id}/destinations`,
      body: { name: "worker", url: "https://receiver.example/" },
    }),
    hidden: (world) =>
      webhookPairs(world, (id) => ({
        path: `${PATH}/${id}/destinations`,
        body: { name: "worker", url: "https://receiver.example/" },
      })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.getWebhookDestination,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      return { path: `${PATH}/${id}/destinations/${await newDestination(world, id)}` };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/destinations/dest_0` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.updateWebhookDestination,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      return {
        path: `${PATH}/${id}/destinations/${await newDestination(world, id)}`,
        body: { name: "Other", enabled: false },
      };
    },
    hidden: (world) =>
      webhookPairs(world, (id) => ({
        path: `${PATH}/${id}/destinations/dest_0`,
        body: { name: "Other", enabled: false },
      })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.deleteWebhookDestination,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      return { path: `${PATH}/${id}/destinations/${await newDestination(world, id)}` };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/destinations/dest_0` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.rotateWebhookDestinationSecret,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      return {
        path: `${PATH}/${id}/destinations/${await newDestination(world, id)}/rotate-secret`,
        body: { overlap_s: 60 },
      };
    },
    hidden: (world) =>
      webhookPairs(world, (id) => ({
        path: `${PATH}/${id}/destinations/dest_0/rotate-secret`,
        body: { overlap_s: 60 },
      })),
  },
  WITH_WEBHOOKS,
);
