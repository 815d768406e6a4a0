import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody } from "../model.ts";
import { actingOf } from "../resources.ts";

export function getCredential(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getCredential> {
  return async ({ params }, context) =>
    credentialBody(await deps.identity.credentials.get(actingOf(context), params.credential_id));
}
