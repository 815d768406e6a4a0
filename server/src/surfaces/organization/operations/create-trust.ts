import { answering } from "#domain/idempotency/index.ts";
import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { trustBody } from "../model.ts";
import { actingOf } from "../resources.ts";

export function createTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createTrust> {
  return async ({ params, body }, context) =>
    answering(trustBody, () => identity.trusts.create(actingOf(context), params.credential_id, body));
}
