import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody } from "../model.ts";
import { actingOf } from "../resources.ts";

export function approveCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.approveCredential> {
  return async ({ params }, context) =>
    credentialBody(await deps.identity.credentials.approve(actingOf(context), params.credential_id));
}
