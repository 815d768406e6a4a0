import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { revokeAccessKey } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

export function revokeS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.revokeS3Key> {
  return async ({ params }, context) => {
    const { revokedAtMs } = await revokeAccessKey(keyDepsOf(deps), actingOf(context), params.key_id);
    return { revoked_at: isoFromMs(revokedAtMs ?? deps.clock.nowMs()) };
  };
}
