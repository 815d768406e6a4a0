import type { PORTAL_ROUTES } from "@mooring/contract";
import { passkeysOf } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { passkeyBody } from "../model.ts";

export function listPasskeys(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.listPasskeys> {
  return async (_input, { session }) => ({
    items: (await passkeysOf(deps.people.metadata.read, session.userId)).map(passkeyBody),
  });
}
