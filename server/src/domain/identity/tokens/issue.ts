import { randomUUID } from "node:crypto";
import { isScope, type Scope } from "@mooring/contract";
import { clauseOf, clausesOf, type Withheld } from "#domain/identity/access/index.ts";
import { renderScopes, type CredentialState, type Gate, type RefusalLog } from "#domain/identity/credentials/index.ts";
import { signJws, type SigningKeys } from "#domain/identity/keys/index.ts";
import type { Clock } from "#kernel/time.ts";
import { encodeClaims } from "./jwt.ts";

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInS: number;
  /** Separated by spaces, in the order of the list of scopes. */
  readonly scope: string;
}

export interface TokenIssuerDeps {
  readonly clock: Clock;
  readonly keys: SigningKeys;
  readonly refusals: RefusalLog;
  readonly gate: Gate;
  readonly issuer: string;
  readonly audience: string;
}

/**
 * The token request asks for scopes that the credential lacks (`invalid_scope`, RFC 6749, section 5.2). The message
 * names them.
 */
export class ScopeRefusal extends Error {
  /** The reason why the credential lost scopes. Null: it lost none. */
  readonly cut: string | null;

  constructor(message: string, cut: string | null = null) {
    super(message);
    this.cut = cut;
    this.name = "ScopeRefusal";
  }
}

/** The characters of a scope (RFC 6749, section 3.3). */
const SCOPE_TEXT = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

export class TokenIssuer {
  readonly #deps: TokenIssuerDeps;
  #issued = 0;

  constructor(deps: TokenIssuerDeps) {
    this.#deps = deps;
  }

  get total(): number {
    return this.#issued;
  }

  /**
   * Signs a token for a credential that has just signed in. `trust`: it signed in with this trust instead of a secret.
   * Without `scope`, the token gets all scopes of the credential.
   * @throws ScopeRefusal; Problem `approval_pending`, `address_not_allowed`
   */
  async issue(
    state: CredentialState,
    request: {
      scope?: string | undefined;
      trustId?: string | undefined;
      ip: string | null;
      requestId: string | null;
    },
  ): Promise<IssuedToken> {
    const { clock, keys, issuer, audience, gate } = this.#deps;
    gate.require(state, request);
    const scope = this.#grant(state, request);
    const nowMs = clock.nowMs();
    const iat = Math.floor(nowMs / 1000);
    const exp =
      state.expiresAtMs === null
        ? iat + state.tokenLifetimeS
        : Math.min(iat + state.tokenLifetimeS, Math.ceil(state.expiresAtMs / 1000));
    const payload = encodeClaims({
      iss: issuer,
      aud: audience,
      sub: state.id,
      client_id: state.clientId,
      org: state.orgId,
      scope,
      jti: randomUUID(),
      iat,
      exp,
      ce: state.epoch,
      ...(request.trustId === undefined ? {} : { trust: request.trustId }),
    });
    const signer = keys.signer();
    const input = `${signer.header}.${payload}`;
    const signature = await signJws(signer, input);
    this.#issued += 1;
    return { accessToken: `${input}.${signature.toString("base64url")}`, expiresInS: exp - iat, scope };
  }

  #grant(
    state: CredentialState,
    request: { scope?: string | undefined; ip: string | null; requestId: string | null },
  ): string {
    try {
      return grantedScope(state, request.scope);
    } catch (error) {
      this.#deps.refusals.record({
        orgId: state.orgId,
        credentialId: state.id,
        signedIn: true,
        clientId: state.clientId,
        reason: error instanceof ScopeRefusal && error.cut !== null ? `invalid scope: ${error.cut}` : "invalid scope",
        ip: request.ip,
        requestId: request.requestId,
      });
      throw error;
    }
  }
}

function grantedScope(state: CredentialState, asked: string | undefined): string {
  if (state.scopes.size === 0) {
    const cut = clausesOf(state.withheld.values());
    throw new ScopeRefusal(`The credential has no scope now: ${cut}.`, cut);
  }
  if (asked === undefined || asked === "") return state.scopeText;
  if (!SCOPE_TEXT.test(asked)) throw new ScopeRefusal("The scope must be a list of names, separated by one space.");
  const names = asked.split(" ");
  const lacking = names.filter((name) => !isScope(name) || !state.scopes.has(name));
  if (lacking.length > 0) {
    const cut = lacking.map((name) => (isScope(name) ? state.withheld.get(name) : undefined)).find(isGiven);
    const why = cut === undefined ? null : clauseOf(cut);
    const text = `The credential does not have: ${[...new Set(lacking)].join(" ").slice(0, 200)}`;
    throw new ScopeRefusal(why === null ? text : `${text}. The credential was given this scope, but ${why}.`, why);
  }
  return renderScopes(new Set(names as Scope[]));
}

function isGiven(reason: Withheld | undefined): reason is Withheld {
  return reason !== undefined;
}
