import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { retentionOfProject } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { projectFor } from "../resources.ts";

export function getWebhookSettings(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.getWebhookSettings> {
  return async ({ params }, { principal }) => {
    const project = await projectFor(deps, principal, params.project_id, "webhooks:read");
    return {
      retention_days: await retentionOfProject(deps, project),
      default_retention_days: deps.retentionDays,
    };
  };
}
