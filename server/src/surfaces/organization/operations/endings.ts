import { authorize, reachOf, requireOrganization } from "#domain/identity/index.ts";
import { listEndings as list } from "#domain/organizations/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { endingBody } from "../model.ts";
import { endOf } from "../query.ts";

export const listEndings: OrganizationOperation<"listEndings"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "org:read");
  const { orgId } = principal;
  const { items, complete } = await list(deps, orgId, {
    reach: reachOf(principal, "projects:read"),
    seesInvitations: authorize(principal, "members:write", { orgId }) === "allowed",
    beforeMs: endOf(query.before) ?? undefined,
  });
  const nowMs = deps.clock.nowMs();
  return { items: items.map((ending) => endingBody(ending, nowMs)), complete };
};
