import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { actingOf } from "../resources.ts";

export function revokeCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.revokeCredential> {
  return async ({ params }, context) => {
    const { revokedAtMs, propagated } = await deps.identity.credentials.revoke(actingOf(context), params.credential_id);
    return { revoked_at: isoFromMs(revokedAtMs), propagated };
  };
}
