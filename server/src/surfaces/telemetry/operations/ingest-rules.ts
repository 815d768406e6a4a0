import { answering } from "#domain/idempotency/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import {
  createIngestRule as create,
  deleteIngestRule as remove,
  getIngestRule as get,
  listIngestRules as list,
  masksOf,
  matchOf,
  requireSender,
  ruleVersion,
  typesOf,
  updateIngestRule as update,
  type IngestRuleRow,
  type RuleAuthor,
  type RuleSettings,
} from "#domain/ingest-rules/index.ts";
import { projectIfNamed } from "#domain/organizations/index.ts";
import type { OperationContext } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import type { TelemetrySettingsOperation } from "../deps.ts";
import { ingestRuleBody, requireFitting } from "../model-rules.ts";

/**
 * Rules decide about the rows of every project, so only owners, admins and credentials of the whole organization see and
 * change them.
 */

const LIMIT_DEFAULT = 50;

export const listIngestRules: TelemetrySettingsOperation<"listIngestRules"> = async (
  deps,
  { query },
  { principal },
) => {
  requireOrganization(principal, "org:write");
  const wanted = { limit: query.limit ?? LIMIT_DEFAULT, cursor: query.cursor };
  const { items, nextCursor } = await list(deps, principal.orgId, wanted);
  return { items: items.map(ingestRuleBody), next_cursor: nextCursor };
};

export const createIngestRule: TelemetrySettingsOperation<"createIngestRule"> = async (deps, { body }, context) => {
  const { principal } = context;
  requireOrganization(principal, "org:write");
  const { action, types, match = {}, keep_one_of: keepOneOf = null, masks = null } = body;
  requireFitting({ action, types, match, keepOneOf, masks });
  const { name, enabled = true, order = 0, key_id: sender = null } = body;
  const project = await projectIfNamed(deps, principal, body.project ?? undefined, "projects:read");
  if (sender !== null) await requireSender(deps, principal, sender);
  const input = {
    name,
    enabled,
    order,
    types,
    match,
    keepOneOf,
    masks,
    action,
    projectId: project?.id ?? null,
    sender,
  };
  return answering(ingestRuleBody, () => create(deps, authorOf(context), principal.orgId, input));
};

export const getIngestRule: TelemetrySettingsOperation<"getIngestRule"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "org:write");
  return versioned(context, await get(deps, context.principal.orgId, params.rule_id));
};

export const updateIngestRule: TelemetrySettingsOperation<"updateIngestRule"> = async (
  deps,
  { params, body },
  context,
) => {
  const { principal, request } = context;
  requireOrganization(principal, "org:write");
  const change = (before: IngestRuleRow): RuleSettings => {
    const after = changed(before, body);
    requireFitting({ action: before.action, ...after });
    return after;
  };
  const options = { change, ifMatch: request.headers["if-match"] };
  const place = { org_id: principal.orgId, id: params.rule_id };
  return versioned(context, await update(deps, authorOf(context), place, options));
};

export const deleteIngestRule: TelemetrySettingsOperation<"deleteIngestRule"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "org:write");
  await remove(deps, authorOf(context), { org_id: context.principal.orgId, id: params.rule_id });
  return undefined;
};

type Change = Parameters<TelemetrySettingsOperation<"updateIngestRule">>[1]["body"];

function changed(before: IngestRuleRow, change: Change): RuleSettings {
  return {
    name: change.name ?? before.name,
    enabled: change.enabled ?? before.enabled === 1,
    order: change.order ?? before.position,
    types: change.types ?? typesOf(before),
    match: change.match ?? matchOf(before),
    keepOneOf: change.keep_one_of ?? before.keep_one_of,
    masks: change.masks ?? masksOf(before),
  };
}

function authorOf({ principal, ip, requestId }: OperationContext): RuleAuthor {
  return { principal, ip, requestId, createdBy: principal.id };
}

function versioned({ reply }: OperationContext, row: IngestRuleRow): ReturnType<typeof ingestRuleBody> {
  void reply.header("etag", etagOf(ruleVersion(row)));
  return ingestRuleBody(row);
}
