import { enforceRecordLimit } from "#domain/limits/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import {
  addressTest,
  isWiderRange,
  lackingOf,
  parsePolicy,
  requireAddresses,
  requireNothingLacking,
  absent,
} from "#domain/identity/index.ts";
import { newId } from "#kernel/ids.ts";
import { NOT_SUSPENDED } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, grantorOf, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { findRole } from "../members/store.ts";
import { requireMayWidenPolicy, type Bounding } from "./policy-widening.ts";
import { insertOrganization, isReservedSlug, organizationById, setOrganization, type Organization } from "./store.ts";
import type { OrganizationPolicy } from "./policy.ts";

export interface OrganizationChange {
  name?: string;
  token_lifetime_s?: number;
  policy?: Partial<OrganizationPolicy>;
}

const DEFAULT_TOKEN_LIFETIME_S = 900;
const OPEN_POLICY: OrganizationPolicy = {
  allowed_scopes: null,
  credential_lifetime_days_max: null,
  require_expiry: false,
  allowed_addresses: null,
  allowed_addresses_for: "programs",
  approval_required: false,
  second_factor_required: false,
  sign_in: "any",
  device_login: true,
  orphans: "adopt",
  heir: null,
  audit_retention_days: null,
};

export function policyOf(organization: Pick<Organization, "policy">): OrganizationPolicy {
  return { ...OPEN_POLICY, ...(JSON.parse(organization.policy) as Partial<OrganizationPolicy>) };
}

/** @throws Problem `not_found`, `forbidden` if the policy allows no sign-in by a code */
export async function requireDeviceLogin(db: Reader, orgId: string): Promise<void> {
  if (policyOf(await found(db, orgId)).device_login) return;
  throw new Problem(
    "forbidden",
    "The organization's policy allows no sign-in by a code. Run mooring login without --device, on a machine with a browser.",
    { decidedBy: "policy" },
  );
}

/**
 * Returns the fields that the entity tag of an organization covers. Tags must stay valid after an update of the server,
 * and a suspension changes no setting.
 */
export function organizationVersion(organization: Organization): object {
  const { id, slug, name, token_lifetime_s, policy, created_at } = organization;
  return { id, slug, name, token_lifetime_s, policy, created_at };
}

/** @throws Problem `not_found` */
export async function getOrganization(deps: Pick<OrganizationsDeps, "metadata">, orgId: string): Promise<Organization> {
  return found(deps.metadata.read, orgId);
}

/** Creates an organization, in the caller's transaction. The slug must be free. @throws Problem `conflict`: it was taken before */
export async function createOrganization(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  slug: string,
  name = slug,
): Promise<Organization> {
  const at = deps.clock.nowMs();
  const row: Organization = {
    id: newId("org", at),
    slug,
    name,
    token_lifetime_s: DEFAULT_TOKEN_LIFETIME_S,
    policy: JSON.stringify(OPEN_POLICY),
    created_at: at,
    ...NOT_SUSPENDED,
  };
  await enforceRecordLimit(deps.metadata, tx, "organizations_max", "");
  if (await isReservedSlug(tx, slug, at))
    throw new Problem("conflict", `Another organization had the slug ${slug} before. Choose another slug.`);
  await insertOrganization(tx, row);
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId: row.id,
    action: "organization.create",
    target: { kind: "organization", id: row.id },
    detail: { slug },
  });
  return row;
}

/**
 * Changes an organization.
 * @throws Problem `invalid_body`, `not_found`, `concurrent_update`, `insufficient_scope` (credentials would get more
 * permissions than the caller has); `forbidden`, `second_factor_required`, `provider_sign_in_required` (the caller does
 * not meet the new requirement themselves)
 */
export async function updateOrganization(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: { change: OrganizationChange; ifMatch: string | undefined },
): Promise<Organization> {
  const { change } = options;
  const policy = change.policy === undefined ? {} : policyChange(change.policy);
  const versionIn = async (db: Reader): Promise<object> => organizationVersion(await found(db, orgId));
  const expected = await expectedOf(options.ifMatch, () => versionIn(deps.metadata.read));
  return changeOrganization(deps, orgId, async (tx) => {
    const before = await found(tx, orgId);
    requireMatch(expected, organizationVersion(before));
    const after: Organization = {
      ...before,
      name: change.name ?? before.name,
      token_lifetime_s: change.token_lifetime_s ?? before.token_lifetime_s,
      policy: JSON.stringify({ ...policyOf(before), ...policy }),
    };
    const { scopes: held } = await grantorOf(tx, caller, orgId, deps.clock.nowMs());
    requireMayWidenPolicy(held, boundingOf(before), boundingOf(after));
    requireOwnStanding(caller, before, after);
    if (policy.allowed_addresses !== undefined || policy.allowed_addresses_for !== undefined)
      requireOwnAddress(caller, before, after);
    // The portal sends the whole policy, and an heir who has left must not prevent other changes.
    if (typeof policy.heir === "string" && policy.heir !== policyOf(before).heir)
      await requireHeir(tx, orgId, policy.heir);
    await setOrganization(tx, orgId, {
      name: after.name,
      token_lifetime_s: after.token_lifetime_s,
      policy: after.policy,
    });
    await announceAccessChange(deps, tx, orgId);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "organization.update",
      target: { kind: "organization", id: orgId },
      detail: { before: settingsOf(before), after: settingsOf(after) },
    });
    return after;
  });
}

/**
 * Checks that a person meets the requirement that they set, so that nobody locks everybody out. A program does not sign
 * in like a person, so it may only remove requirements.
 */
function requireOwnStanding({ principal }: Caller, before: Organization, after: Organization): void {
  const [old, next] = [parsePolicy(before.policy).people, parsePolicy(after.policy).people];
  const asksMore =
    (next.secondFactorRequired && !old.secondFactorRequired) || (next.providerRequired && !old.providerRequired);
  if (!asksMore || principal.kind === "system") return;
  if (principal.kind === "credential")
    throw new Problem(
      "forbidden",
      "Only a person who signed in with a second factor or single sign-on can require it. Do it in the portal, under Settings.",
    );
  requireNothingLacking(lackingOf(next, principal.standing ?? { byProvider: false, hasSecondFactor: false }));
}

/** @throws Problem `invalid_body` if the heir is not a member */
async function requireHeir(tx: Writer, orgId: string, heir: string): Promise<void> {
  if ((await findRole(tx, orgId, heir)) !== undefined) return;
  const errors = [{ pointer: "/policy/heir", detail: "is not the id of a member of the organization" }];
  throw new Problem("invalid_body", "The policy is not valid.", { errors });
}

/**
 * Checks that the list does not lock out the caller. A program could lock out everybody who can repair it, so it can't
 * make the list for people narrower.
 * @throws Problem `conflict` that names the caller's address, `forbidden`
 */
function requireOwnAddress({ principal, ip }: Caller, before: Organization, after: Organization): void {
  if (principal.kind === "system") return;
  const [old, next] = [parsePolicy(before.policy), parsePolicy(after.policy)];
  if (principal.kind === "credential" && isWiderRange(next.peopleAddresses, old.peopleAddresses))
    throw new Problem(
      "forbidden",
      "Only a person at an allowed address can bind people by the list. Do it in the portal, under Settings.",
    );
  const allows = addressTest([principal.kind === "person" ? next.peopleAddresses : next.addresses]);
  if (allows === null || allows(ip)) return;
  const address = ip ?? "unknown";
  throw new Problem("conflict", `The list would lock you out: your address is ${address}. Add it to the list.`, {
    errors: [{ pointer: "/policy/allowed_addresses", detail: `does not contain your address ${address}` }],
  });
}

function policyChange(change: Partial<OrganizationPolicy>): Partial<OrganizationPolicy> {
  const { allowed_addresses: addresses } = change;
  if (addresses === undefined) return change;
  return { ...change, allowed_addresses: requireAddresses(addresses, "/policy/allowed_addresses") };
}

function boundingOf(organization: Organization): Bounding {
  return { ...policyOf(organization), token_lifetime_s: organization.token_lifetime_s };
}

function settingsOf(organization: Organization): Record<string, unknown> {
  return { name: organization.name, token_lifetime_s: organization.token_lifetime_s, policy: policyOf(organization) };
}

async function found(db: Reader, orgId: string): Promise<Organization> {
  const organization = await organizationById(db, orgId);
  if (organization === undefined) throw absent();
  return organization;
}
