import type { PORTAL_ROUTES } from "@mooring/contract";
import { createPasskey as create } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { passkeyBody } from "../model.ts";
import { originOf } from "../origin.ts";

export function createPasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.createPasskey> {
  return async ({ body }, context) => passkeyBody(await create(deps.people, context.session, body, originOf(context)));
}
