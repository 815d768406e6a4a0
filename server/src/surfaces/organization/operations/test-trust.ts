import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { actingOf } from "../resources.ts";

export function testTrust({ identity }: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.testTrust> {
  return async ({ params, body }, context) => {
    const { checks, ...read } = await identity.trusts.test(actingOf(context), params.trust_id, body.assertion);
    return { accepted: checks.every(({ result }) => result === "pass"), ...read, checks };
  };
}
