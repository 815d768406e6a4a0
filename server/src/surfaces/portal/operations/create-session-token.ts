import type { PORTAL_ROUTES } from "@mooring/contract";
import { absent } from "#domain/organizations/index.ts";
import { createSessionToken as createToken } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

/** With it the portal calls the public operations as anyone does. */
export function createSessionToken(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.createSessionToken> {
  return async ({ body }, { session, reply }) => {
    const token = await createToken(deps.people, session, body.organization);
    if (token === undefined) throw absent();
    void reply.header("cache-control", "no-store");
    return { access_token: token.accessToken, token_type: "Bearer", expires_in: token.expiresInS };
  };
}
