import type { Orphans } from "@mooring/contract";
import {
  changeMember,
  endMemberAccess as endAccess,
  listMembers as list,
  memberVersion,
  planRemoval,
  planMember,
  removeMember,
} from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationOperation } from "../deps.ts";
import { memberBody, pageBody, versioned } from "../model.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { sendPlan } from "../plan.ts";
import { endOf, pageOf } from "../query.ts";
import { settled } from "../resources.ts";
import { tellManagers } from "../tell.ts";

export const listMembers: OrganizationOperation<"listMembers"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "org:read");
  return pageBody(await list(deps, principal.orgId, pageOf(query)), memberBody);
};

export const updateMember: OrganizationOperation<"updateMember"> = async (deps, { params, query, body }, context) => {
  requireOrganization(context.principal, "members:write");
  const ifMatch = context.request.headers["if-match"];
  const { role, custom_role: customRole, expires_at: end } = body;
  const onLosses = tellManagers(deps, context, "a member was changed");
  const named = { userId: params.user_id, role, customRole };
  const change = { ...named, endsAtMs: endOf(end), ifMatch, orphans: query.orphans, onLosses };
  if (query.dry_run === true)
    return sendPlan(deps, context, await planMember(deps, callerOf(context), context.principal.orgId, change));
  const member = await changeMember(deps, callerOf(context), context.principal.orgId, change);
  await settled(deps);
  return versioned(context, memberVersion(member), memberBody(member));
};

export const deleteMember: OrganizationOperation<"deleteMember"> = async (deps, { params, query }, context) => {
  requireOrganization(context.principal, "members:write");
  const ifMatch = context.request.headers["if-match"];
  const onLosses = tellManagers(deps, context, "a member was removed");
  const removal = { userId: params.user_id, orphans: orphansOf(query), ifMatch, onLosses };
  if (query.dry_run === true)
    return sendPlan(deps, context, await planRemoval(deps, callerOf(context), context.principal.orgId, removal));
  await removeMember(deps, callerOf(context), context.principal.orgId, removal);
  await settled(deps);
  return undefined;
};

export const endMemberAccess: OrganizationOperation<"endMemberAccess"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "members:write");
  const ended = await endAccess(deps, callerOf(context), context.principal.orgId, params.user_id);
  await settled(deps);
  const { validAfterMs, logins, personalTokens } = ended;
  return { valid_after: isoFromMs(validAfterMs), logins, personal_tokens: personalTokens };
};

function orphansOf(query: { orphans?: Orphans; transfer_credentials?: boolean }): Orphans | null | undefined {
  const { orphans, transfer_credentials: transfers } = query;
  if (orphans !== undefined || transfers === undefined) return orphans;
  return transfers ? "adopt" : null;
}
