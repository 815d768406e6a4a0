import { FailureDelay, type Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import { DEVICE_CODE_FAILURES } from "#kernel/limits.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { PeopleDeps } from "./deps.ts";
import { Provider, type ProviderSettings } from "./external/provider.ts";
import { portalAddressOf } from "./portal-address.ts";
import { sessionOfSecret, type Session } from "./sessions/sessions.ts";
import { Throttle } from "./sign-in/throttle.ts";

/** Creates the in-memory state of people's sign-in, which is only the failures. */
export function createPeople(options: {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly portalUrl: string;
  readonly oidc: ProviderSettings | null;
  readonly identity: Pick<Identity, "credentials" | "envelope" | "refusals" | "signIn">;
}): PeopleDeps {
  const { metadata, clock, identity } = options;
  const portal = portalAddressOf(options.portalUrl);
  return {
    metadata,
    clock,
    envelope: identity.envelope,
    refusals: identity.refusals,
    credentials: identity.credentials,
    signIn: identity.signIn,
    portal,
    provider: options.oidc === null ? null : new Provider(options.oidc, portal.origin),
    userCodes: new FailureDelay(clock, DEVICE_CODE_FAILURES),
    throttle: new Throttle({ clock, envelope: identity.envelope }),
  };
}

/** Finds the session of a cookie, for HTTP. */
export function sessionsOf(people: PeopleDeps): {
  find(secret: string): Promise<Session | undefined>;
  readonly portalOrigins: readonly string[];
} {
  return { find: (secret) => sessionOfSecret(people, secret), portalOrigins: people.portal.origins };
}
