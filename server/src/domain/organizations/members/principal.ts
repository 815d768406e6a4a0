import type { Scope } from "@mooring/contract";
import {
  isLive,
  principalOfState,
  readState,
  within,
  type CredentialState,
  type PersonPrincipal,
  type Principal,
} from "#domain/identity/index.ts";
import { isId } from "#kernel/ids.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { personPrincipal } from "./person.ts";

/**
 * Returns the current principal of a person or credential, without caches. Undefined if it has no permissions any more.
 */
export async function principalNow(
  metadata: Pick<MetadataStore, "read">,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<Principal | undefined> {
  if (!isId("cred", id)) return personPrincipal(metadata.read, orgId, id, nowMs);
  const state = await readState(metadata, { id }, nowMs);
  if (state === undefined || state.orgId !== orgId || !isLive(state, nowMs)) return undefined;
  const isPersons = state.ownerId !== null && state.projectId === null;
  return isPersons ? personByToken(metadata.read, state, nowMs) : principalOfState(state);
}

/**
 * Returns the owner of a personal access token, with the scopes that both have and the token's limits. Undefined if they
 * are no longer a member.
 */
export async function personByToken(
  db: Reader,
  state: CredentialState,
  nowMs: number,
): Promise<PersonPrincipal | undefined> {
  const person = await personPrincipal(db, state.orgId, state.ownerId ?? "", nowMs);
  if (person === undefined) return undefined;
  const limit = limitOf(state);
  const { withheld, limits } = state;
  const via = { kind: "personal_token", id: state.id } as const;
  return { ...person, scopes: within(person.scopes, limit), limit, withheld, limits, via };
}

/**
 * Returns the scopes of the token that the policy allows. The state also leaves out those that the person's role in the
 * organization does not have, but the person may have them in a project.
 */
function limitOf({ scopes, withheld }: CredentialState): ReadonlySet<Scope> {
  return new Set([...scopes, ...[...withheld].flatMap(([scope, { by }]) => (by === "role" ? [scope] : []))]);
}

/**
 * Returns the id under which a principal acts later, for example by a URL that it signs now: that of its personal access
 * token, if the token is limited to resources.
 */
export function lastingIdOf(principal: Principal): string {
  const isLimited = principal.kind === "person" && principal.limits !== undefined;
  return isLimited ? (principal.via?.id ?? principal.id) : principal.id;
}
