import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { trustBody } from "../model.ts";
import { actingOf } from "../resources.ts";

export function getTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getTrust> {
  return async ({ params }, context) => trustBody(await identity.trusts.get(actingOf(context), params.trust_id));
}
