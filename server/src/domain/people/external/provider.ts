import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type Configuration,
} from "openid-client";
import type { ProxiedFetch } from "#stores/outbound/index.ts";

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** The text of the button. */
  readonly name: string;
  /** Default: `openid email`. */
  readonly scope?: string;
  /** The claim with the groups of a person. Null: none. */
  readonly groupsClaim?: string | null;
  /** Sends the requests through a proxy. Absent: they go to the provider. */
  readonly fetch?: ProxiedFetch;
}

/** Values that the provider's answer must match. They are stored until it comes. */
export interface Expected {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person at the provider. */
export interface ExternalPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider verified the address. */
  readonly verifiedEmail: string | null;
  /** The values of the claim with the groups. Null: there is no such claim, or the provider did not send all values. */
  readonly groups: readonly string[] | null;
}

/** The most groups of a person. Providers replace longer lists by a reference. */
const GROUPS_MAX = 1000;

/** Returns the values of the claim. Null: it is absent or has another form, so it says nothing about the groups. */
export function groupsOf(claim: unknown): readonly string[] | null {
  const values: readonly unknown[] = typeof claim === "string" ? [claim] : Array.isArray(claim) ? claim : [null];
  const isComplete = values.length <= GROUPS_MAX && values.every((value) => typeof value === "string");
  return isComplete ? values : null;
}

/**
 * A client of an OpenID Connect provider. It uses the authorization code flow with PKCE (RFC 7636), state and nonce.
 */
export class Provider {
  readonly settings: ProviderSettings;
  readonly #redirectUri: string;
  #configuration: Promise<Configuration> | undefined;

  /** @param portalOrigin the provider redirects the browser to it */
  constructor(settings: ProviderSettings, portalOrigin: string) {
    this.settings = settings;
    this.#redirectUri = `${portalOrigin}/api/sign-in/oidc/callback`;
  }

  /**
   * Returns the URL at the provider for the browser. `again`: the provider must ask for a proof, even if the person is
   * signed in there.
   * @throws Error
   */
  async begin(options: { readonly again: boolean }): Promise<{ url: URL; expected: Expected }> {
    const configuration = await this.#discovered();
    const expected = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.settings.scope ?? "openid email",
      code_challenge: await calculatePKCECodeChallenge(expected.verifier),
      code_challenge_method: "S256",
      state: expected.state,
      nonce: expected.nonce,
      ...(options.again ? { prompt: "login" } : {}),
    });
    return { url, expected };
  }

  /**
   * Returns the person whom the provider sent back.
   * @param query of the callback
   * @throws Error if the provider refused, or a value does not match
   */
  async finish(query: string, expected: Expected): Promise<ExternalPerson> {
    const configuration = await this.#discovered();
    const tokens = await authorizationCodeGrant(configuration, new URL(`${this.#redirectUri}?${query}`), {
      expectedState: expected.state,
      expectedNonce: expected.nonce,
      pkceCodeVerifier: expected.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("cannot sign in: the provider sent no identity");
    // Some providers return claims only at the userinfo endpoint (OpenID Connect Core, section 5.4).
    const { groupsClaim = null } = this.settings;
    const lacks = (claim: string | null): boolean => claim !== null && claims[claim] === undefined;
    const isAsked =
      (lacks("email") || lacks(groupsClaim)) && configuration.serverMetadata().userinfo_endpoint !== undefined;
    const asked = isAsked ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
    const { email, email_verified: isVerified } = lacks("email") ? asked : claims;
    return {
      issuer: claims.iss,
      subject: claims.sub,
      groups: groupsClaim === null ? null : groupsOf((lacks(groupsClaim) ? asked : claims)[groupsClaim]),
      verifiedEmail: typeof email === "string" && isVerified === true ? email.toLowerCase() : null,
    };
  }

  /**
   * Reads the provider's configuration when it is first needed, and again after a failure. The provider may start later
   * than this server.
   */
  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = undefined;
      throw error;
    });
    return this.#configuration;
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret, fetch } = this.settings;
    const url = new URL(issuer);
    return discovery(url, clientId, clientSecret ?? undefined, undefined, {
      timeout: 10,
      ...(fetch === undefined ? {} : { [customFetch]: fetch }),
      ...(url.protocol === "http:" ? { execute: [allowInsecureRequests] } : {}),
    });
  }
}
