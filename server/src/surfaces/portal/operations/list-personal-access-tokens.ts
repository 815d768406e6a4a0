import type { PORTAL_ROUTES } from "@mooring/contract";
import { listPersonalTokens } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { personalTokenBody } from "../model.ts";

export function listPersonalAccessTokens(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.listPersonalAccessTokens> {
  return async (_input, { session }) => ({
    items: (await listPersonalTokens(deps.people, session)).map(personalTokenBody),
  });
}
