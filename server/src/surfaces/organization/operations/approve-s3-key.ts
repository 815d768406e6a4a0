import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { approveAccessKey } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3KeyBody } from "../model.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

export function approveS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.approveS3Key> {
  return async ({ params }, context) =>
    s3KeyBody(await approveAccessKey(keyDepsOf(deps), actingOf(context), params.key_id));
}
