import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { retentionOfProject } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { projectFor } from "../resources.ts";

export function getWebhookSettings(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.getWebhookSettings> {
  return async ({ params }, { principal, reply }) => {
    const project = await projectFor(deps, principal, params.project_id, "webhooks:read");
    const days = await retentionOfProject(deps, project);
    void reply.header("etag", etagOf({ days }));
    return {
      retention_days: days,
      default_retention_days: deps.retentionDays,
    };
  };
}
