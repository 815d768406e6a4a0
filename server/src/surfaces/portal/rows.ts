import { PORTAL_ROUTES } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { PortalSurfaceDeps } from "./index.ts";
import { createSessionToken } from "./operations/create-session-token.ts";
import { getSession } from "./operations/get-session.ts";
import { getSignInMethods } from "./operations/get-sign-in-methods.ts";
import { setUp } from "./operations/set-up.ts";
import { signInWithPassword } from "./operations/sign-in-with-password.ts";
import { signOut } from "./operations/sign-out.ts";

type App = Parameters<typeof mountRoute>[0];

/** Row → operation, of what only the portal's own pages call. */
export function mountRows(app: App, deps: PortalSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, PORTAL_ROUTES.setUp, setUp(deps));
  mountRoute(app, host, PORTAL_ROUTES.getSignInMethods, getSignInMethods(deps));
  mountRoute(app, host, PORTAL_ROUTES.signInWithPassword, signInWithPassword(deps));
  mountRoute(app, host, PORTAL_ROUTES.signOut, signOut(deps));
  mountRoute(app, host, PORTAL_ROUTES.getSession, getSession(deps));
  mountRoute(app, host, PORTAL_ROUTES.createSessionToken, createSessionToken(deps));
}
