import {
  principalOfState,
  type AccessTokenClaims,
  type CredentialPrincipal,
  type Identity,
} from "#domain/identity/index.ts";
import { RegistryError, type Holder, type RegistryTokens } from "#domain/registry/index.ts";
import type { Request } from "./exchange.ts";
import { parseBasic, parseBearer } from "./wire/basic.ts";

/** The sender of a request. */
export interface Caller extends Holder {
  /** Null: nobody signed in. */
  readonly principal: CredentialPrincipal | null;
  /** Whether the request had a credential. Without one, the answer is a challenge. */
  readonly isKnown: boolean;
}

export interface CallerDeps {
  readonly identity: Pick<Identity, "present" | "signIn" | "tokens">;
  readonly tokens: RegistryTokens;
}

/** The beginning of a JWT's header; no secret has dots. */
const ACCESS_TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

type State = NonNullable<Awaited<ReturnType<Identity["present"]>>>;

/**
 * Returns the principal. A person's personal access token goes by their e-mail address, also in texts that clients
 * print.
 */
export function principalOf(state: State): CredentialPrincipal {
  const { clientId, person, ownerId } = state;
  const owner = ownerId === null ? {} : { ownerId };
  return { ...principalOfState(state), clientId: person ?? clientId, ...owner };
}

/**
 * Authenticates the token or the password of a request.
 * @throws TokenRefused; RegistryError `UNAUTHORIZED`; Problem `address_not_allowed`, `rate_limited`, `unavailable`
 */
export async function callerOf(deps: CallerDeps, request: Request): Promise<Caller> {
  const { authorization } = request.headers;
  if (authorization === undefined || authorization === "")
    return { principal: null, access: undefined, isKnown: false };
  const basic = parseBasic(authorization);
  if (basic !== undefined) {
    const { state } = await signIn(deps, request, basic.user, basic.password);
    return { principal: noted(request, state), access: undefined, isKnown: true };
  }
  const token = await deps.tokens.verify(parseBearer(authorization) ?? "");
  if (token === undefined) throw new TokenRefused();
  const { credentialId, epoch, access, trust } = token;
  if (credentialId === null) return { principal: null, access, isKnown: true };
  const state = await deps.identity.present(credentialId, epoch, originOf(request));
  if (state === undefined) throw new TokenRefused();
  if (trust !== undefined && !state.trusts.some(({ id }) => id === trust)) throw new TokenRefused();
  return { principal: noted(request, state), access, isKnown: true };
}

/** Marks the principal on the request, for the counters. */
function noted(request: Request, state: State): CredentialPrincipal {
  return (request.principal = principalOf(state));
}

/** The token is invalid, has expired, or is for another service. The client may request a new one. */
export class TokenRefused extends Error {}

/** The signed-in holder, and the access token if it was the password. */
export interface SignedIn {
  readonly state: State;
  readonly claims?: AccessTokenClaims;
}

/**
 * Signs in by a secret, or by the client's access token: jobs without a secret log in with that.
 * @throws RegistryError `UNAUTHORIZED`; Problem `address_not_allowed`, `approval_pending`, `rate_limited`,
 *   `unavailable`
 */
export async function signIn(
  { identity }: Pick<CallerDeps, "identity">,
  request: Request,
  user: string,
  password: string,
): Promise<SignedIn> {
  const origin = originOf(request);
  try {
    if (!ACCESS_TOKEN.test(password)) {
      const shown = { clientId: user, clientSecret: password, takesPeople: true, ...origin };
      return { state: await identity.signIn.authenticate(shown) };
    }
    const { credential, claims } = await identity.tokens.holder(password, origin);
    if (claims.client_id === user) return { state: credential, claims };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== "unauthorized" && code !== "invalid_token") throw error;
  }
  throw wrongPassword();
}

/** Where a request comes from. */
export function originOf(request: Request): { ip: string; requestId: string } {
  return { ip: request.ip, requestId: request.id };
}

/** The text that clients print after "unauthorized: ". */
export function wrongPassword(): RegistryError {
  return new RegistryError("UNAUTHORIZED", "incorrect username or password");
}
