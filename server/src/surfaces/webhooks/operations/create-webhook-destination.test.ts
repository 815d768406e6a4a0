import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

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
