import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { reachOf } from "#domain/identity/index.ts";
import { listWebhooks as list } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { webhookBodies } from "../model.ts";
import { projectFor } from "../resources.ts";

export function listWebhooks(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.listWebhooks> {
  return async ({ query }, { principal }) => {
    const { project, cursor, limit = 50 } = query;
    const projectId =
      project === undefined ? undefined : (await projectFor(deps, principal, project, "webhooks:read")).id;
    const page = await list(deps, principal.orgId, reachOf(principal, "webhooks:read"), { projectId, cursor, limit });
    return { items: await webhookBodies(deps, page.items), next_cursor: page.nextCursor };
  };
}
