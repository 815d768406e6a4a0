import type { PORTAL_ROUTES } from "@mooring/contract";
import { organizationsOf } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function listOrganizations(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.listOrganizations> {
  return async () => ({
    items: (await organizationsOf(deps.metadata.read)).map(({ created_at, ...row }) => ({
      ...row,
      created_at: isoFromMs(created_at),
    })),
  });
}
