import { auditPerson } from "#domain/accounts/index.ts";
import { acceptInvitationAs } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { beginSession } from "../sessions/sessions.ts";
import { beginAttempt, finishAttempt, tryAttempt } from "../sign-in/attempts.ts";
import { refuse } from "../sign-in/refusal.ts";
import { personByEmail, personById } from "../store.ts";
import type { Expected, ExternalPerson, Provider } from "./provider.ts";
import { externalIdentity, insertExternalIdentity, recordExternalUse } from "./store.ts";

/** Why a sign-in by a provider did not work, as the sign-in page is told. */
export type OidcFailure = "oidc_failed" | "oidc_unknown" | "oidc_not_invited";

/** With which invitation somebody goes to the provider: when they come back they have accepted it. */
export interface Invited {
  readonly tokenHash: string;
  /** Of an account that is made; null: there is one. */
  readonly name: string | null;
}

export type OidcOutcome =
  | { readonly secret: string; readonly returnTo: string }
  | { readonly failure: OidcFailure; readonly cause?: unknown };

/** Where to send the browser, and the ticket that binds what comes back to it. @throws Error when the provider is away */
export async function beginOidc(
  deps: PeopleDeps,
  provider: Provider,
  asked: { readonly returnTo: string; readonly again: boolean; readonly invited?: Invited },
): Promise<{ url: URL; ticket: string }> {
  const { url, expected } = await provider.begin(asked);
  const data = { ...expected, returnTo: asked.returnTo, invited: asked.invited ?? null };
  return { url, ticket: await beginAttempt(deps, { kind: "oidc", userId: null, data }) };
}

/** Signs in whom the provider sent back. */
export async function finishOidc(
  deps: PeopleDeps,
  provider: Provider,
  answer: { readonly ticket: string; readonly query: string },
  origin: Origin,
): Promise<OidcOutcome> {
  const attempt = await tryAttempt(deps, "oidc", answer.ticket);
  if (attempt === undefined) return { failure: "oidc_failed" };
  const { invited, ...begun } = attempt.data as unknown as Expected & { returnTo: string; invited: Invited | null };
  const { returnTo, ...expected } = begun;
  let external: ExternalPerson;
  try {
    external = await provider.finish(answer.query, expected);
  } catch (cause) {
    await refuse(deps, { account: null, userId: null, reason: "the provider's answer is not good", origin });
    return { failure: "oidc_failed", cause };
  }
  if (invited !== null && !(await accepted(deps, external, invited, origin))) {
    await refuse(deps, { account: null, userId: null, reason: "not whom the invitation is for", origin });
    return { failure: "oidc_not_invited" };
  }
  const secret = await deps.metadata.write(async (tx) => {
    if (!(await finishAttempt(tx, attempt))) return undefined;
    const userId = await personOf(deps, tx, external, origin);
    return userId === undefined ? undefined : beginSession(deps, tx, userId, { method: "oidc", origin });
  });
  if (secret !== undefined) return { secret, returnTo };
  await refuse(deps, { account: null, userId: null, reason: "nobody here by this identity", origin });
  return { failure: "oidc_unknown" };
}

/** Makes the person a member of where they were invited. False: the invitation is not theirs, or good no longer. */
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
    await acceptInvitationAs(deps, tokenHash, { email, name: name ?? email }, origin);
    return true;
  } catch (error) {
    // A member already: then all that is left is to sign in.
    if (error instanceof Problem) return error.code === "conflict";
    throw error;
  }
}

/** Known by the provider's own id for them; the first time by an address that the provider says is theirs. */
async function personOf(
  deps: PeopleDeps,
  tx: Writer,
  external: ExternalPerson,
  origin: Origin,
): Promise<string | undefined> {
  const { issuer, subject, verifiedEmail } = external;
  const at = deps.clock.nowMs();
  await deps.metadata.lock(tx, `external_identity:${issuer} ${subject}`);
  const known = await externalIdentity(tx, issuer, subject);
  if (known !== undefined) {
    await recordExternalUse(tx, issuer, subject, at);
    return known.user_id;
  }
  const person = verifiedEmail === null ? undefined : await personByEmail(tx, verifiedEmail);
  if (person === undefined) return undefined;
  await insertExternalIdentity(tx, { issuer, subject, user_id: person.id, created_at: at, last_used_at: at });
  await auditPerson(deps, tx, person.id, { action: "external_identity.link", origin, detail: { issuer, subject } });
  return person.id;
}
