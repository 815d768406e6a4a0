import { WEBHOOK_ROUTES } from "@mooring/contract";
import { projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { PATH, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.createWebhook,
  {
    ask: (world) => ({ path: PATH, body: { name: "orders", project: world.acme.open.id } }),
    hidden: (world) => projectPairs(world, (project) => ({ path: PATH, body: { name: "orders", project } })),
  },
  WITH_WEBHOOKS,
);
