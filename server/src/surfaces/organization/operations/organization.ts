import {
  getOrganization as find,
  organizationVersion,
  updateOrganization as update,
} from "#domain/organizations/index.ts";
import { callerOf, type OperationContext } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { organizationBody, versioned } from "../model.ts";
import { auditActorOf, requireOrganization } from "#domain/identity/index.ts";
import type { OperatorCaller, StateChange } from "#domain/operator/index.ts";
import { requireOrganizationAllows, suspensionFields } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { settled } from "../resources.ts";

export const getOrganization: OrganizationOperation<"getOrganization"> = async (deps, _input, context) => {
  requireOrganization(context.principal, "org:read");
  const organization = await find(deps, context.principal.orgId);
  return versioned(context, organizationVersion(organization), organizationBody(organization));
};

export const updateOrganization: OrganizationOperation<"updateOrganization"> = async (deps, { body }, context) => {
  const { principal, request } = context;
  requireOrganization(principal, "org:write");
  const organization = await update(deps, callerOf(context), principal.orgId, {
    change: body,
    ifMatch: request.headers["if-match"],
  });
  await settled(deps);
  return versioned(context, organizationVersion(organization), organizationBody(organization));
};

export const deleteOrganization: OrganizationOperation<"deleteOrganization"> = async (deps, { query }, context) => {
  const by = ownerOf(context, "delete");
  const { orgId, orgSlug } = context.principal;
  requireOrganization(context.principal, "org:write");
  if (query.slug !== orgSlug) {
    const errors = [{ pointer: "/slug", detail: "must be the slug of the organization of the token" }];
    throw new Problem("invalid_parameter", `The slug is not that of the organization, which is ${orgSlug}.`, {
      errors,
    });
  }
  return changedBody(await deps.leaving.deleteOrganization(by, orgId));
};

export const keepOrganization: OrganizationOperation<"keepOrganization"> = async (deps, _input, context) => {
  const { organization, orgId } = context.principal;
  requireOrganizationAllows(organization, "keep");
  return changedBody(await deps.leaving.keepOrganization(ownerOf(context, "keep"), orgId));
};

/** @throws Problem `forbidden` if the caller is not an owner. A program that leaked must not end the organization. */
function ownerOf({ principal, ip, requestId }: OperationContext, act: "delete" | "keep"): OperatorCaller {
  if (principal.kind !== "person" || principal.role !== "owner" || principal.limit !== undefined)
    throw new Problem(
      "forbidden",
      `Only a person who is an owner can ${act} an organization, signed in by themselves.`,
    );
  return { actor: auditActorOf(principal), ip, requestId };
}

function changedBody({ organization, propagated }: StateChange) {
  const { id, slug, name } = organization;
  return { id, slug, name, ...suspensionFields(organization), propagated };
}
