import type { PORTAL_ROUTES } from "@mooring/contract";
import { listSessions as list } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { browserSessionBody } from "../model.ts";

export function listSessions(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.listSessions> {
  return async (_input, { session }) => ({
    items: (await list(deps.people, session.userId)).map((row) => browserSessionBody(row, session.id)),
  });
}
