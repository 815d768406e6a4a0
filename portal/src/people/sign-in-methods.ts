import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { sessionClient } from "~/api/clients.ts";

type Methods = ResultOf<typeof PORTAL_ROUTES.getSignInMethods>;

export interface SignInMethods {
  /** Undefined while they are asked. */
  readonly methods: Methods | undefined;
  /** A page of the same server where browsers have passkeys, when they don't here. */
  readonly passkeyPage: (path: string) => string | null;
  /** Whether this browser can make and show passkeys at this address. */
  readonly hasPasskeys: boolean;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** The ways to sign in that this server, this address and this browser have together. */
export function useSignInMethods(): SignInMethods {
  const { data: methods } = useQuery({
    queryKey: ["", PORTAL_ROUTES.getSignInMethods.operationId],
    queryFn: ({ signal }) => sessionClient.call(PORTAL_ROUTES.getSignInMethods, { signal }),
    staleTime: 60_000,
  });
  // The server tells of localhost when that is its own address; it is this browser's machine only when the page came from it.
  const origin = LOOPBACK.has(location.hostname) ? (methods?.passkey_url ?? null) : null;
  return {
    methods,
    passkeyPage: (path) => (origin === null ? null : new URL(path, origin).href),
    hasPasskeys: methods?.passkeys === true && browserSupportsWebAuthn(),
  };
}
