import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { sessionClient } from "~/api/clients.ts";

type Methods = ResultOf<typeof PORTAL_ROUTES.getSignInMethods>;

export interface SignInMethods {
  /** Undefined while they are asked. */
  readonly methods: Methods | undefined;
  /** Whether this browser can make and show passkeys at this address. */
  readonly hasPasskeys: boolean;
}

/** The ways to sign in that this server, this address and this browser have together. */
export function useSignInMethods(): SignInMethods {
  const { data: methods } = useQuery({
    queryKey: ["", PORTAL_ROUTES.getSignInMethods.operationId],
    queryFn: ({ signal }) => sessionClient.call(PORTAL_ROUTES.getSignInMethods, { signal }),
    staleTime: 60_000,
  });
  return { methods, hasPasskeys: methods?.passkeys === true && browserSupportsWebAuthn() };
}
