import { splitSigned, type Authenticator, type PersonPrincipal } from "#domain/identity/index.ts";
import { signedInPrincipal } from "#domain/organizations/index.ts";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { SESSION_TOKEN_LIFETIME_S } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { PeopleDeps } from "../deps.ts";
import { membershipBySlug } from "../store.ts";
import { LOGIN_TOKEN_PREFIX, personOfLogin } from "../logins/tokens.ts";
import { personOfToken, PERSONAL_TOKEN_PREFIX } from "../personal-tokens.ts";
import { admitted, NO_MEMBER, type RequestFrom } from "./admitted.ts";
import { sessionById, type Session } from "./sessions.ts";

/** The content of a session token. It contains no permissions: session and roles are read at every request. */
interface Claims {
  readonly session: string;
  readonly org: string;
  /** In seconds. */
  readonly exp: number;
}

type Deps = Pick<PeopleDeps, "metadata" | "clock" | "envelope">;

export const SESSION_TOKEN_PREFIX = "mrpt_";
const PREFIX = SESSION_TOKEN_PREFIX;
const PURPOSE = "person-token";
const TOKEN_CHARS_MAX = 512;

/**
 * Creates an access token of a signed-in person for one organization. Undefined if they are not a member.
 * @throws Problem `second_factor_required`, `provider_sign_in_required`
 */
export async function createSessionToken(
  deps: Deps,
  session: Session,
  organizationSlug: string,
  ip: string | null,
): Promise<{ accessToken: string; expiresInS: number } | undefined> {
  const org = await membershipBySlug(deps.metadata.read, session.userId, organizationSlug);
  if (org === undefined) return undefined;
  // Also in a deleted organization: its owners keep it with such a token. Every request checks the state again.
  const at = { nowMs: deps.clock.nowMs(), ip, act: "keep" } as const;
  if ((await signedInPrincipal(deps.metadata.read, org, session, at)) === undefined) return undefined;
  const exp = Math.floor(deps.clock.nowMs() / 1000) + SESSION_TOKEN_LIFETIME_S;
  const claims = JSON.stringify({ session: session.id, org, exp } satisfies Claims);
  const token = Buffer.concat([deps.envelope.sign(PURPOSE, claims), Buffer.from(claims)]).toString("base64url");
  return { accessToken: PREFIX + token, expiresInS: SESSION_TOKEN_LIFETIME_S };
}

/**
 * Authenticates people's tokens, and passes all others on. A person's token is not a JWT, so code that expects JWTs of
 * credentials refuses it.
 */
export function withPeople(deps: Deps & Pick<PeopleDeps, "signIn">, credentials: Authenticator): Authenticator {
  return {
    authenticate: (token, origin, act) => {
      if (token.startsWith(PREFIX)) return personOf(deps, token, { ip: origin?.ip, act });
      if (token.startsWith(LOGIN_TOKEN_PREFIX)) return personOfLogin(deps, token, { ip: origin?.ip, act });
      if (token.startsWith(PERSONAL_TOKEN_PREFIX)) return personOfToken(deps, token, origin);
      return credentials.authenticate(token, origin);
    },
  };
}

async function personOf(deps: Deps, token: string, from: RequestFrom): Promise<PersonPrincipal> {
  const claims = await claimsOf(deps, token);
  if (claims === undefined) throw new Problem("invalid_token", "The access token was not issued by this server.");
  if (deps.clock.nowMs() / 1000 >= claims.exp) throw new Problem("invalid_token", "The access token has expired.");
  const session = await sessionById(deps, claims.session);
  if (session === undefined) throw new Problem("invalid_token", "The session of this token has ended. Sign in again.");
  const person = await admitted(deps, claims.org, session, from);
  if (person === undefined) throw new Problem("invalid_token", NO_MEMBER);
  return person;
}

/** Returns the session of a token, also if it has expired. Undefined: this installation did not create it. */
export async function sessionIdOfToken(
  deps: Pick<Deps, "envelope">,
  token: string,
): Promise<{ readonly id: string; readonly orgId: string; readonly expiresAtMs: number } | undefined> {
  const claims = await claimsOf(deps, token);
  return claims === undefined ? undefined : { id: claims.session, orgId: claims.org, expiresAtMs: claims.exp * 1000 };
}

/** Returns undefined if this installation did not create the token. */
async function claimsOf({ envelope }: Pick<Deps, "envelope">, token: string): Promise<Claims | undefined> {
  if (token.length > TOKEN_CHARS_MAX) return undefined;
  const bytes = decodeBase64Url(token.slice(PREFIX.length));
  const signed = bytes === undefined ? undefined : splitSigned(PURPOSE, bytes);
  if (signed === undefined || !(await envelope.verify(PURPOSE, signed.text, signed.code))) return undefined;
  return JSON.parse(signed.text) as Claims;
}
