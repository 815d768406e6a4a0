import { WEBHOOK_ROUTES } from "@mooring/contract";
import { projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { newWebhook, PATH, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhooks,
  {
    ask: async (world) => {
      await newWebhook(world);
      return { path: PATH };
    },
    hidden: (world) => projectPairs(world, (project) => ({ path: `${PATH}?project=${project}` })),
  },
  WITH_WEBHOOKS,
);
