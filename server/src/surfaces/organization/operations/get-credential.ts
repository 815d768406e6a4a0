import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody, tagged } from "../model.ts";
import { actingOf } from "../resources.ts";

export function getCredential(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getCredential> {
  return async ({ params }, context) => {
    const credential = await deps.identity.credentials.get(actingOf(context), params.credential_id);
    return tagged(context, credential.etag, credentialBody(credential));
  };
}
