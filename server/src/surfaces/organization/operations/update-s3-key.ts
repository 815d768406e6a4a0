import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { updateAccessKey } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3KeyBody } from "../model.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

export function updateS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateS3Key> {
  return async ({ params, body }, context) => {
    const { name, allowed_addresses: allowedAddresses } = body;
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(allowedAddresses === undefined ? {} : { allowedAddresses }),
    };
    return s3KeyBody(await updateAccessKey(keyDepsOf(deps), actingOf(context), params.key_id, change));
  };
}
