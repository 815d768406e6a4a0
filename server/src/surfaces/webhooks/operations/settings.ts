import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { retentionOfProject, setRetentionOfProject } from "#domain/webhooks/index.ts";
import { projectFor } from "#domain/organizations/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import type { WebhooksSurfaceDeps } from "../deps.ts";

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

export function updateWebhookSettings(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.updateWebhookSettings> {
  return async ({ params, body }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "webhooks:write");
    const days = body.retention_days;
    const ifMatch = context.request.headers["if-match"];
    await setRetentionOfProject(deps, callerOf(context), project, { days, ifMatch });
    void context.reply.header("etag", etagOf({ days }));
    return { retention_days: body.retention_days, default_retention_days: deps.retentionDays };
  };
}
