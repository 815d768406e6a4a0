import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody, tagged } from "../model.ts";
import { actingOf } from "../resources.ts";

export function updateCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.updateCredential> {
  return async ({ params, body }, context) => {
    const { allowed_addresses: allowedAddresses, ...rest } = body;
    const change = { ...rest, ...(allowedAddresses === undefined ? {} : { allowedAddresses }) };
    const ifMatch = context.request.headers["if-match"];
    const { credentials } = deps.identity;
    const { credential } = await credentials.update(actingOf(context), params.credential_id, change, ifMatch);
    return tagged(context, credential.etag, credentialBody(credential));
  };
}
