import { organizationAllows } from "@mooring/contract";
import {
  addressTest,
  lackingOf,
  parsePolicy,
  requireNothingLacking,
  rightsOfGrants,
  scopesOfRole,
  type Addresses,
  type PersonPrincipal,
  type ProjectRights,
  type Standing,
} from "#domain/identity/index.ts";
import { requireOrganizationAllows, suspensionOf } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { hasPassed } from "#kernel/time.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { organizationById, type Organization } from "../organization/store.ts";
import { findMember, projectGrants, type Member } from "./store.ts";

/**
 * Returns a member as the principal of a request, with their current roles. Undefined if they are not a member, or their
 * membership has ended.
 */
export async function personPrincipal(
  db: Reader,
  orgId: string,
  userId: string,
  nowMs: number,
): Promise<PersonPrincipal | undefined> {
  return (await memberOf(db, orgId, userId, nowMs))?.principal;
}

/** When and from where a request comes. Undefined: nobody knows the address. */
export interface Moment {
  readonly nowMs: number;
  readonly ip: string | null | undefined;
}

/** How a person is signed in. */
export interface SignedIn {
  readonly userId: string;
  readonly method: string;
  readonly hasSecondFactor: boolean;
  readonly confirmedAtMs: number;
  /** When the session or login began. */
  readonly sinceMs: number;
}

/**
 * Returns a signed-in person as the principal of a request. This is the only check between a session and an
 * organization. A session that lacks a required factor continues, but has no access here. With `keep` it also admits people
 * of a deleted organization, for the operations that allow it.
 * @throws Problem `organization_blocked`, `address_not_allowed`, `second_factor_required`, `provider_sign_in_required`,
 * `new_sign_in_required`
 */
export async function signedInPrincipal(
  db: Reader,
  orgId: string,
  session: SignedIn,
  { nowMs, ip, act }: Moment & { readonly act?: "keep" | undefined },
): Promise<PersonPrincipal | undefined> {
  const found = await memberOf(db, orgId, session.userId, nowMs);
  if (found === undefined) return undefined;
  const { organization: suspension } = found.principal;
  if (act !== "keep" || !organizationAllows(suspension.state, act)) requireOrganizationAllows(suspension, "sign_in");
  const { totp, passkeys } = found.member;
  requireValidSince(found.member, session);
  const standing = standingOf(session, Number(totp) + Number(passkeys) > 0);
  const { people, peopleAddresses } = parsePolicy(found.organization.policy);
  if (!allowsPerson(peopleAddresses, ip)) throw refusedAddress(ip);
  requireNothingLacking(lackingOf(people, standing));
  return { ...found.principal, confirmedAtMs: session.confirmedAtMs, standing };
}

/** Whether the organization's list for people has the address. */
export function allowsPerson(addresses: Addresses, ip: string | null | undefined): boolean {
  return addressTest([addresses])?.(ip) ?? true;
}

function refusedAddress(ip: string | null | undefined): Problem {
  return new Problem(
    "address_not_allowed",
    `The organization allows people only from the addresses of its list, and ${ip ?? "an unknown address"} is not one of them.`,
    { decidedBy: "address" },
  );
}

/** Whether the person's access ended after this sign-in. */
export function isEnded(
  { valid_after: after }: Pick<Member, "valid_after">,
  { sinceMs }: Pick<SignedIn, "sinceMs">,
): boolean {
  return after !== null && sinceMs <= after;
}

/** Whether a sign-in of a member is not valid any more in the organization. */
export async function isSignInEnded(
  db: Reader,
  orgId: string,
  { userId, sinceMs }: Pick<SignedIn, "userId" | "sinceMs">,
): Promise<boolean> {
  const member = await findMember(db, orgId, userId);
  return member === undefined || isEnded(member, { sinceMs });
}

/** @throws Problem `new_sign_in_required` */
function requireValidSince(member: Member, session: SignedIn): void {
  if (!isEnded(member, session)) return;
  throw new Problem(
    "new_sign_in_required",
    "Your sign-ins from before were ended in this organization. Sign out, and sign in again.",
  );
}

/** A second factor that was removed after the sign-in does not count. */
export function standingOf(
  { method, hasSecondFactor }: Pick<SignedIn, "method" | "hasSecondFactor">,
  hasFactors: boolean,
): Standing {
  const byProvider = method === "oidc";
  return { byProvider, hasSecondFactor: byProvider || (hasSecondFactor && hasFactors) };
}

async function memberOf(
  db: Reader,
  orgId: string,
  userId: string,
  nowMs: number,
): Promise<{ principal: PersonPrincipal; organization: Organization; member: Member } | undefined> {
  const [organization, member] = [await organizationById(db, orgId), await findMember(db, orgId, userId)];
  if (organization === undefined || member === undefined || hasPassed(member.expires_at, nowMs)) return undefined;
  const projects = new Map<string, ProjectRights>();
  for (const [id, grants] of await projectGrants(db, orgId, userId)) {
    const rights = rightsOfGrants(grants, nowMs);
    if (rights !== undefined) projects.set(id, rights);
  }
  const principal: PersonPrincipal = {
    kind: "person",
    id: userId,
    email: member.email,
    orgId,
    orgSlug: organization.slug,
    organization: suspensionOf(organization),
    role: member.role,
    customRole: member.custom_slug,
    scopes: scopesOfRole(member),
    endsAtMs: member.expires_at,
    projects,
  };
  return { principal, organization, member };
}
