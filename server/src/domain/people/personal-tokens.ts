import {
  absent,
  personalTokensOf,
  type Credential,
  type Origin as RequestOrigin,
  type PersonalToken,
  type PersonPrincipal,
} from "#domain/identity/index.ts";
import { personByToken, personPrincipal, signedInPrincipal } from "#domain/organizations/index.ts";
import { requireOrganizationAllows } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Origin, PeopleDeps } from "./deps.ts";
import { NO_MEMBER } from "./sessions/admitted.ts";
import { reading, type Session } from "./sessions/sessions.ts";
import { membershipBySlug } from "./store.ts";

export const PERSONAL_TOKEN_PREFIX = "mrpat_";
const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_MS_DEFAULT = 90 * DAY_MS;

export interface NewPersonalToken {
  readonly organization: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Null: no expiry. Absent: 90 days. */
  readonly expiresAtMs?: number | null;
}

/** Lists a person's tokens of all organizations, newest first, without revoked ones. */
export function listPersonalTokens(deps: Pick<PeopleDeps, "metadata">, session: Session): Promise<PersonalToken[]> {
  return personalTokensOf(deps.metadata.read, session.userId);
}

/**
 * Creates a personal access token.
 * @throws Problem `not_found` (the person is not in such an organization), `insufficient_scope`, `forbidden` (the
 * policy), `invalid_body`, `organization_read_only`, `organization_blocked`, `second_factor_required`, `provider_sign_in_required`
 */
export async function createPersonalToken(
  deps: PeopleDeps,
  session: Session,
  input: NewPersonalToken,
  origin: Origin,
): Promise<{ credential: Credential; token: string }> {
  const { read } = deps.metadata;
  const orgId = await membershipBySlug(read, session.userId, input.organization);
  const person =
    orgId === undefined
      ? undefined
      : await signedInPrincipal(read, orgId, session, { nowMs: deps.clock.nowMs(), ip: origin.ip });
  if (person === undefined) throw absent();
  requireOrganizationAllows(person.organization, "credentials:write");
  const expiresAtMs = input.expiresAtMs === undefined ? deps.clock.nowMs() + LIFETIME_MS_DEFAULT : input.expiresAtMs;
  return deps.credentials.createPersonal({ actor: person, ...origin }, person, {
    projectId: null,
    name: input.name,
    scopes: input.scopes,
    ...(expiresAtMs === null ? {} : { expiresAtMs }),
  });
}

/** Revokes a token on every node. @throws Problem `not_found` */
export async function deletePersonalToken(
  deps: PeopleDeps,
  session: Session,
  id: string,
  origin: Origin,
): Promise<void> {
  const { read } = deps.metadata;
  const own = (await personalTokensOf(read, session.userId)).find((token) => token.id === id);
  const person =
    own === undefined ? undefined : await personPrincipal(read, own.org_id, session.userId, deps.clock.nowMs());
  if (person === undefined) throw absent();
  await deps.credentials.revoke({ actor: person, ...origin }, id);
}

/**
 * Authenticates a personal access token. The principal is its person, with the scopes that both have. Nobody is present,
 * so it never counts as a recent sign-in.
 * @throws Problem `invalid_token`, `forbidden` (it is limited to a project), and as `SignIn.authenticatePersonal`
 */
export async function personOfToken(
  deps: Pick<PeopleDeps, "clock" | "metadata" | "signIn">,
  token: string,
  origin: RequestOrigin | undefined,
): Promise<PersonPrincipal> {
  const state = await deps.signIn.authenticatePersonal(token, origin);
  if (state.projectId !== null)
    throw new Problem("forbidden", "This personal access token is limited to a project. Only the registry accepts it.");
  const person = await reading(personByToken(deps.metadata.read, state, deps.clock.nowMs()));
  if (person === undefined) throw new Problem("invalid_token", NO_MEMBER);
  return person;
}
