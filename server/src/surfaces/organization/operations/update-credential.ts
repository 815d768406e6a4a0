import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody } from "../model.ts";
import { actingOf } from "../resources.ts";

export function updateCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.updateCredential> {
  return async ({ params, body }, context) => {
    const { allowed_addresses: allowedAddresses, ...rest } = body;
    const change = { ...rest, ...(allowedAddresses === undefined ? {} : { allowedAddresses }) };
    const { credential } = await deps.identity.credentials.update(actingOf(context), params.credential_id, change);
    return credentialBody(credential);
  };
}
