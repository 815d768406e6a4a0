import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { updateAccessKey } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3KeyBody, tagged } from "../model.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

export function updateS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateS3Key> {
  return async ({ params, body }, context) => {
    const { name, allowed_addresses: allowedAddresses } = body;
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(allowedAddresses === undefined ? {} : { allowedAddresses }),
    };
    const ifMatch = context.request.headers["if-match"];
    const key = await updateAccessKey(keyDepsOf(deps), actingOf(context), params.key_id, change, ifMatch);
    return tagged(context, key.etag, s3KeyBody(key));
  };
}
