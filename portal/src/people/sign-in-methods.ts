import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { sessionClient } from "~/api/clients.ts";

type Methods = ResultOf<typeof PORTAL_ROUTES.getSignInMethods>;

export interface SignInMethods {
  /** Undefined while they are loading. */
  readonly methods: Methods | undefined;
  /** Returns the address of a page of this server where passkeys work, if they do not work here. */
  readonly passkeyPage: (path: string) => string | null;
  /** Whether passkeys work in this browser at this address. */
  readonly hasPasskeys: boolean;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Returns the sign-in methods that this server, this address and this browser support. */
export function useSignInMethods(): SignInMethods {
  const { data: methods } = useQuery({
    queryKey: ["", PORTAL_ROUTES.getSignInMethods.operationId],
    queryFn: ({ signal }) => sessionClient.call(PORTAL_ROUTES.getSignInMethods, { signal }),
    staleTime: 60_000,
  });
  // The server offers localhost if that is its address. For this browser, localhost is the same machine only if the
  // page was loaded from it.
  const origin = LOOPBACK.has(location.hostname) ? (methods?.passkey_url ?? null) : null;
  return {
    methods,
    passkeyPage: (path) => (origin === null ? null : new URL(path, origin).href),
    hasPasskeys: methods?.passkeys === true && browserSupportsWebAuthn(),
  };
}
