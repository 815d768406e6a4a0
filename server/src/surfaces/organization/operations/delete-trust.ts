import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { actingOf } from "../resources.ts";

export function deleteTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteTrust> {
  return async ({ params }, context) => {
    const { propagated } = await identity.trusts.delete(actingOf(context), params.trust_id);
    return { propagated };
  };
}
