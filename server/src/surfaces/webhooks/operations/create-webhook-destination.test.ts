import { WEBHOOK_ROUTES } from "@mooring/contract";
import { WEBHOOK_DESTINATIONS_MAX } from "#kernel/limits.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { newDestination, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

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
    problems: {
      conflict: async (world) => {
        const { id } = await newWebhook(world);
        for (let i = 0; i < WEBHOOK_DESTINATIONS_MAX; i++) await newDestination(world, id);
        const body = { name: "one too many", url: "https://receiver.example/" };
        return { path: `${PATH}/${id}/destinations`, body };
      },
    },
  },
  WITH_WEBHOOKS,
);
