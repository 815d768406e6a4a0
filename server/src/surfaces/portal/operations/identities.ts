import type { PORTAL_ROUTES } from "@mooring/contract";
import { deleteIdentity as remove } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";
import { toProvider } from "../to-provider.ts";

/** When the person comes back from the provider, they must still have this session, with a recent confirmation. */
export function beginIdentityLink(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.beginIdentityLink> {
  return (_input, context) =>
    toProvider(deps, context, {
      at: "Link it",
      asked: { returnTo: "/account?tab=sign-in", again: true, linksTo: context.session.userId },
    });
}

export function deleteIdentity(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deleteIdentity> {
  return async (_input, context) => {
    await remove(deps.people, context.session, originOf(context));
  };
}
