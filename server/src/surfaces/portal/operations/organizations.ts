import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import { setupMail } from "#domain/mail/index.ts";
import { setupUrl } from "#domain/organizations/index.ts";
import { createOrganization as create, organizationsOf } from "#domain/people/index.ts";
import { OPERATOR_ROWS_COUNTED_MAX } from "#kernel/limits.ts";
import { NO_LIMIT } from "#kernel/no-limit.ts";
import {
  organizationNamed,
  readQuotas,
  renameOrganization as rename,
  setOrganizationState,
  setQuotas,
  type Quotas,
  type StateChange,
} from "#domain/operator/index.ts";
import { ACTIVE, suspensionFields } from "#domain/suspension/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { operatedOrganizationBody } from "../model.ts";
import { operatorOf, originOf } from "../origin.ts";

export const listOrganizations: PortalOperation<"listOrganizations"> = async (deps, { query }) => {
  const { q, limit = 50, cursor: after } = query;
  const { organizations, next } = await organizationsOf(deps.metadata.read, { q, after, limit });
  return {
    items: organizations.map(({ created_at, members, ...row }) => ({
      ...row,
      ...suspensionFields(row),
      created_at: isoFromMs(created_at),
      members: Math.min(members, OPERATOR_ROWS_COUNTED_MAX),
      ...(members > OPERATOR_ROWS_COUNTED_MAX ? { members_is_lower_bound: true as const } : {}),
    })),
    next_cursor: next,
  };
};

export const createOrganization: PortalOperation<"createOrganization"> = async (deps, { body }, context) => {
  const { owner_email, ...rest } = body;
  const input = { ...rest, ownerEmail: owner_email.toLowerCase() };
  const { setupToken, ...made } = await create(deps.people, context.operator, input, originOf(context));
  void context.reply.header("cache-control", "no-store");
  if (setupToken === null) return { ...made, setup_url: null, email: null };
  const link = setupUrl(deps.addresses.portal_url, setupToken);
  const message = setupMail(input.ownerEmail, { organization: made.name, link });
  const email = deps.mail === null ? null : await deps.mail.send({ message });
  return { ...made, setup_url: link, email };
};

export const suspendOrganization: PortalOperation<"suspendOrganization"> = async (deps, { params, body }, context) => {
  const { state, reason = null } = body;
  return changed(
    await setOrganizationState(operating(deps), operatorOf(context), params.organization_id, { state, reason }),
  );
};

export const resumeOrganization: PortalOperation<"resumeOrganization"> = async (deps, { params }, context) => {
  return changed(await setOrganizationState(operating(deps), operatorOf(context), params.organization_id, ACTIVE));
};

export const deleteOrganizationAsOperator: PortalOperation<"deleteOrganizationAsOperator"> = async (
  deps,
  { params },
  context,
) => {
  const { id } = await organizationNamed(deps.metadata.read, params.organization_id);
  return changed(await deps.leaving.deleteOrganization(operatorOf(context), id));
};

export const keepOrganizationAsOperator: PortalOperation<"keepOrganizationAsOperator"> = async (
  deps,
  { params },
  context,
) => {
  const { id } = await organizationNamed(deps.metadata.read, params.organization_id);
  return changed(await deps.leaving.keepOrganization(operatorOf(context), id));
};

export const renameOrganization: PortalOperation<"renameOrganization"> = async (deps, { params, body }, context) =>
  changed(await rename(operating(deps), operatorOf(context), params.organization_id, body));

export const getOrganizationQuotas: PortalOperation<"getOrganizationQuotas"> = async (deps, { params }) => {
  const { id } = await organizationNamed(deps.metadata.read, params.organization_id);
  return quotaBody(await readQuotas(deps, id));
};

export const setOrganizationQuotas: PortalOperation<"setOrganizationQuotas"> = async (
  deps,
  { params, body },
  context,
) => {
  const { id } = await organizationNamed(deps.metadata.read, params.organization_id);
  const change = Object.entries(body).map(([name, value]) => [name, value === "none" ? NO_LIMIT : value] as const);
  return quotaBody(await setQuotas(deps, operatorOf(context), id, Object.fromEntries(change)));
};

function quotaBody(quotas: Quotas): ResultOf<(typeof PORTAL_ROUTES)["getOrganizationQuotas"]> {
  const shown = Object.entries(quotas).map(([name, value]) => [name, value === NO_LIMIT ? "none" : value] as const);
  return Object.fromEntries(shown) as ReturnType<typeof quotaBody>;
}

function operating({ metadata, clock, identity: { feed } }: PortalSurfaceDeps) {
  return { metadata, clock, feed };
}

function changed({ organization, propagated }: StateChange) {
  return { ...operatedOrganizationBody(organization), propagated };
}
