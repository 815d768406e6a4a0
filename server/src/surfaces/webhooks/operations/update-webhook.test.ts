import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.updateWebhook,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}`, body: { name: "Other" } }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}`, body: { name: "Other" } })),
  },
  WITH_WEBHOOKS,
);
