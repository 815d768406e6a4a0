import type { Ended } from "#domain/accounts/index.ts";
import { acceptInvitationAs, applyClaimedGroups } from "#domain/organizations/index.ts";
import { CONFIRMATION_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { beginSession, type Session } from "../sessions/sessions.ts";
import { beginAttempt, finishAttempt, tryAttempt } from "../sign-in/attempts.ts";
import { refuse } from "../sign-in/refusal.ts";
import { personById } from "../store.ts";
import { leadsToAnothers, linkTo, personOf, type Found } from "./identity.ts";
import type { Expected, ExternalPerson, Provider } from "./provider.ts";
import { externalIdentity } from "./store.ts";

/** The reason why a sign-in at a provider failed, for the page that the browser is sent to. */
export type OidcFailure =
  | "oidc_failed"
  | "oidc_unknown"
  | "oidc_not_invited"
  | "oidc_other"
  | "oidc_taken"
  | "oidc_not_fresh";

/** The invitation that a person accepts with a sign-in at the provider. */
export interface Invited {
  readonly tokenHash: string | null;
  /** The name for a new account. Null: the account exists. */
  readonly name: string | null;
}

export type OidcOutcome =
  | {
      readonly secret: string;
      readonly returnTo: string;
      /** Set by the first verification of the address: the recipient and the content of a mail. */
      readonly proved: { readonly email: string; readonly ended: Ended } | null;
    }
  | { readonly failure: OidcFailure; readonly cause?: unknown };

/** Stored while the browser is at the provider. */
interface Begun extends Expected {
  readonly returnTo: string;
  readonly invited: Invited | null;
  /** The account to which the identity is linked. Null: it is a sign-in. */
  readonly linksTo: string | null;
}

const REASONS = {
  oidc_unknown: "no account has this identity",
  oidc_other: "another identity of the provider is linked to the account",
  oidc_taken: "the identity belongs to another account",
} as const;

/**
 * Returns the URL for the browser, and the ticket that binds the provider's answer to the browser.
 * @throws Error if the provider does not answer
 */
export async function beginOidc(
  deps: PeopleDeps,
  provider: Provider,
  asked: { readonly returnTo: string; readonly again: boolean; readonly invited?: Invited; readonly linksTo?: string },
): Promise<{ url: URL; ticket: string }> {
  const { url, expected } = await provider.begin(asked);
  const { returnTo, invited = null, linksTo = null } = asked;
  const data = { ...expected, returnTo, invited, linksTo } satisfies Begun;
  return { url, ticket: await beginAttempt(deps, { kind: "oidc", userId: null, data: { ...data } }) };
}

/** Signs in the person whom the provider sent back. `session`: the browser's session, which linking requires. */
export async function finishOidc(
  deps: PeopleDeps,
  provider: Provider,
  answer: { readonly ticket: string; readonly query: string; readonly session: Session | undefined },
  origin: Origin,
): Promise<OidcOutcome> {
  const attempt = await tryAttempt(deps, "oidc", answer.ticket);
  if (attempt === undefined) return { failure: "oidc_failed" };
  const { invited, returnTo, linksTo, ...expected } = attempt.data as unknown as Begun;
  let external: ExternalPerson;
  try {
    external = await provider.finish(answer.query, expected);
  } catch (cause) {
    await refuse(deps, { account: null, userId: null, reason: "the provider's answer is not valid", origin });
    return { failure: "oidc_failed", cause };
  }
  if (linksTo !== null && !isFresh(deps, answer.session, linksTo)) return { failure: "oidc_not_fresh" };
  if (invited !== null) {
    const failure = await invitedFailure(deps, external, invited, origin);
    if (failure !== null) return { failure };
  }
  const find = (tx: Writer): Promise<Found> =>
    linksTo === null ? personOf(deps, tx, external, origin) : linkTo(deps, tx, linksTo, { external, origin });
  const found = await deps.metadata.write(async (tx) => {
    if (!(await finishAttempt(tx, attempt))) return { failure: "oidc_failed" } as const;
    const person = await find(tx);
    if ("failure" in person) return person;
    const { userId, ended } = person;
    await applyClaimedGroups(deps, tx, userId, external.groups);
    return { ...person, secret: await beginSession(deps, tx, userId, { method: "oidc", origin, ended }) };
  });
  if ("secret" in found) {
    const { secret, email, ended } = found;
    return { secret, returnTo, proved: ended === null ? null : { email, ended } };
  }
  if (found.failure !== "oidc_failed")
    await refuse(deps, { account: null, userId: linksTo, reason: REASONS[found.failure], origin });
  return { failure: found.failure };
}

/** Whether this browser's person has just proved that the account is theirs. Linking an identity requires it. */
function isFresh({ clock }: PeopleDeps, session: Session | undefined, userId: string): boolean {
  return session?.userId === userId && clock.nowMs() - session.confirmedAtMs <= CONFIRMATION_MS;
}

/** Accepts the invitation. Returns null on success. A person who can't sign in does not become a member either. */
async function invitedFailure(
  deps: PeopleDeps,
  external: ExternalPerson,
  invited: Invited,
  origin: Origin,
): Promise<"oidc_other" | "oidc_not_invited" | null> {
  const isAnothers = await leadsToAnothers(deps.metadata.read, external);
  if (!isAnothers && (await accepted(deps, external, invited, origin))) return null;
  const reason = isAnothers ? REASONS.oidc_other : "the invitation is for another person";
  await refuse(deps, { account: null, userId: null, reason, origin });
  return isAnothers ? "oidc_other" : "oidc_not_invited";
}

/**
 * Makes the person a member of the inviting organization. Returns false if the invitation is for another address, or
 * has ended.
 */
async function accepted(
  deps: PeopleDeps,
  external: ExternalPerson,
  { tokenHash, name }: Invited,
  origin: Origin,
): Promise<boolean> {
  const { read } = deps.metadata;
  const linked = await externalIdentity(read, external.issuer, external.subject);
  const email =
    linked === undefined ? external.verifiedEmail : ((await personById(read, linked.user_id))?.email ?? null);
  if (email === null) return false;
  try {
    await acceptInvitationAs(deps, tokenHash, { email, name: name ?? email, bySession: false }, origin);
    return true;
  } catch (error) {
    // They are a member already, so they only sign in.
    if (error instanceof Problem) return error.code === "conflict";
    throw error;
  }
}
