import { WEBHOOK_ROUTES } from "@mooring/contract";
import { projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.getWebhookSettings,
  {
    ask: (world) => ({ path: `/v1/projects/${world.acme.open.id}/webhook-settings` }),
    hidden: (world) => projectPairs(world, (project) => ({ path: `/v1/projects/${project}/webhook-settings` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.updateWebhookSettings,
  {
    ask: (world) => ({ path: `/v1/projects/${world.acme.open.id}/webhook-settings`, body: { retention_days: 7 } }),
    hidden: (world) =>
      projectPairs(world, (project) => ({
        path: `/v1/projects/${project}/webhook-settings`,
        body: { retention_days: 7 },
      })),
  },
  WITH_WEBHOOKS,
);
