import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newDestination, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

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
