import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newDestination, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

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
