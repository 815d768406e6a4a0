import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.rotateWebhookSecret,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      const body = { verification: { scheme: "github" }, secret: "the one before" };
      await world.call("PATCH", `${PATH}/${id}`, { token: await world.token(), body });
      return { path: `${PATH}/${id}/rotate-secret`, body: { overlap_s: 60 } };
    },
    hidden: (world) =>
      webhookPairs(world, (id) => ({
        path: `${PATH}/${id}/rotate-secret`,
        body: { overlap_s: 60 },
      })),
  },
  WITH_WEBHOOKS,
);
