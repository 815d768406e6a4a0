import { answering } from "#domain/idempotency/index.ts";
import { reachOf } from "#domain/identity/index.ts";
import {
  createWebhook as create,
  deleteWebhook as remove,
  listRejections,
  listWebhooks as list,
  revealUrl,
  rotateSecret,
  rotateUrl,
  updateWebhook as update,
  type MadeWebhook,
} from "#domain/webhooks/index.ts";
import { projectFor, projectIfNamed } from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { WebhookOperation } from "../deps.ts";
import { hookUrl, isoOrNull, rejectionBody, versioned, webhookBodies, webhookBody } from "../model.ts";
import { webhookFor } from "../resources.ts";

export const listWebhooks: WebhookOperation<"listWebhooks"> = async (deps, { query }, { principal }) => {
  const { project, cursor, limit = 50 } = query;
  const projectId = (await projectIfNamed(deps, principal, project, "webhooks:read"))?.id;
  const page = await list(deps, principal.orgId, reachOf(principal, "webhooks:read"), { projectId, cursor, limit });
  return { items: await webhookBodies(deps, page.items), next_cursor: page.nextCursor };
};

export const createWebhook: WebhookOperation<"createWebhook"> = async (deps, { body }, context) => {
  const { project: idOrSlug, ...input } = body;
  const project = await projectFor(deps, context.principal, idOrSlug, "webhooks:write");
  return answering(
    async ({ webhook, token, secret }: MadeWebhook, db) => ({
      ...(await webhookBody({ metadata: { ...deps.metadata, read: db } }, webhook)),
      webhook_url: hookUrl(deps, token),
      secret,
    }),
    () => create(deps, callerOf(context), project, input),
  );
};

export const getWebhook: WebhookOperation<"getWebhook"> = async (deps, { params }, context) =>
  versioned(deps, context, await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read"));

export const updateWebhook: WebhookOperation<"updateWebhook"> = async (deps, { params, body }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  const options = { change: body, ifMatch: context.request.headers["if-match"] };
  const changed = await update(deps, callerOf(context), webhook, options);
  deps.receiver.forget();
  return versioned(deps, context, changed);
};

export const deleteWebhook: WebhookOperation<"deleteWebhook"> = async (deps, { params }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  await remove(deps, callerOf(context), webhook);
  deps.receiver.forget();
  return undefined;
};

export const rotateWebhookUrl: WebhookOperation<"rotateWebhookUrl"> = async (deps, { params, body }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  const graceMs = (body.grace_s ?? 0) * 1000;
  const answer = await answering(
    ({ token, formerUntilMs }: { token: string; formerUntilMs: number }) => ({
      webhook_url: hookUrl(deps, token),
      former_url_until: isoFromMs(formerUntilMs),
    }),
    () => rotateUrl(deps, callerOf(context), webhook, graceMs),
  );
  deps.receiver.forget();
  return answer;
};

export const revealWebhookUrl: WebhookOperation<"revealWebhookUrl"> = async (deps, { params }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  void context.reply.header("cache-control", "no-store");
  return { webhook_url: hookUrl(deps, await revealUrl(deps, callerOf(context), webhook)) };
};

const OVERLAP_S = 86_400;

export const rotateWebhookSecret: WebhookOperation<"rotateWebhookSecret"> = async (deps, { params, body }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  const options = { secret: body.secret, overlapMs: (body.overlap_s ?? OVERLAP_S) * 1000 };
  const answer = await answering(
    ({ secret, formerUntilMs }: { secret: string; formerUntilMs: number | null }) => ({
      secret: body.secret === undefined ? secret : null,
      former_secret_until: isoOrNull(formerUntilMs),
    }),
    () => rotateSecret(deps, callerOf(context), webhook, options),
  );
  deps.receiver.forget();
  return answer;
};

export const listWebhookRejections: WebhookOperation<"listWebhookRejections"> = async (
  deps,
  { params, query },
  { principal },
) => {
  const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
  const page = await listRejections(deps, webhook.id, { cursor: query.cursor, limit: query.limit ?? 50 });
  return { items: page.items.map(rejectionBody), next_cursor: page.nextCursor };
};
