import type { PORTAL_ROUTES } from "@mooring/contract";
import { deleteTotp as turnOff } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function deleteTotp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deleteTotp> {
  return async (_input, context) => {
    await turnOff(deps.people, context.session, originOf(context));
  };
}
