import type { PORTAL_ROUTES } from "@mooring/contract";
import { passkeyPlaceOf } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function getSignInMethods(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.getSignInMethods> {
  return (_input, { request, reply }) => {
    const { portal, provider } = deps.people;
    const passkeys = passkeyPlaceOf(portal, request.headers.host) !== undefined;
    void reply.header("cache-control", "no-store");
    return {
      passkeys,
      passkey_url: passkeys ? null : portal.localhostOrigin,
      oidc: provider === null ? null : { name: provider.settings.name },
      sends_email: deps.mail !== null,
    };
  };
}
