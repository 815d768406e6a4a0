import { SCOPES, type PORTAL_ROUTES } from "@mooring/contract";
import { getOrganization, policyOf, useSetupLink } from "#domain/organizations/index.ts";
import { FailureDelay, failurePlaceOf, type PersonPrincipal } from "#domain/identity/index.ts";
import { beginSession } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { endFormer, sendSession } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

/** Sets the owner's name and password by the one-time link, signs them in, and makes a first credential, shown this once. */
export function setUp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.setUp> {
  const misses = new FailureDelay(deps.clock);
  return async ({ body }, context) => {
    const { ip, requestId } = context;
    const origin = originOf(context);
    const owner = await misses.countMisses(failurePlaceOf(ip), () => useSetupLink(deps, body, { ip, requestId }));
    const begun = await deps.metadata.write((tx) =>
      beginSession(deps.people, tx, owner.id, { method: "set_up", origin }),
    );
    const { credential, clientSecret } = await deps.identity.credentials.create(
      { actor: owner, ip, requestId },
      { projectId: null, name: "first credential", scopes: await scopesFor(deps, owner) },
    );
    await endFormer(deps.people, context, origin);
    await sendSession(deps.people, context, begun);
    return {
      organization: { id: owner.orgId, slug: owner.orgSlug },
      user: { id: owner.id, email: owner.email, name: body.name },
      credential: { id: credential.id, client_id: credential.clientId, client_secret: clientSecret },
      addresses: deps.addresses,
    };
  };
}

/** All that the owner holds and the policy allows. */
async function scopesFor(deps: PortalSurfaceDeps, owner: PersonPrincipal): Promise<string[]> {
  const allowed = policyOf(await getOrganization(deps, owner.orgId)).allowed_scopes;
  return SCOPES.filter((scope) => owner.scopes.has(scope) && (allowed === null || allowed.includes(scope)));
}
