import { retentionOfProject, setRetentionOfProject } from "#domain/webhooks/index.ts";
import { projectFor } from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import type { WebhookOperation } from "../deps.ts";

export const getWebhookSettings: WebhookOperation<"getWebhookSettings"> = async (
  deps,
  { params },
  { principal, reply },
) => {
  const project = await projectFor(deps, principal, params.project_id, "webhooks:read");
  const days = await retentionOfProject(deps, project);
  void reply.header("etag", etagOf({ days }));
  return {
    retention_days: days,
    default_retention_days: deps.retentionDays,
  };
};

export const updateWebhookSettings: WebhookOperation<"updateWebhookSettings"> = async (
  deps,
  { params, body },
  context,
) => {
  const project = await projectFor(deps, context.principal, params.project_id, "webhooks:write");
  const days = body.retention_days;
  const ifMatch = context.request.headers["if-match"];
  await setRetentionOfProject(deps, callerOf(context), project, { days, ifMatch });
  void context.reply.header("etag", etagOf({ days }));
  return { retention_days: body.retention_days, default_retention_days: deps.retentionDays };
};
