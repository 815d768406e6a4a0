import type { PORTAL_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function getSignInMethods(_deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.getSignInMethods> {
  return () => ({ passkeys: false, passkey_url: null, oidc: null });
}
