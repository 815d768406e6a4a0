import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { addressProvedMail, sendTo } from "#domain/mail/index.ts";
import { acceptInvitation as accept } from "#domain/organizations/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";

const TRIES_A_MINUTE = 10;

/** Public, and it may ask for the password of an account that exists: so tries are counted, by address and by invitation. */
export function acceptInvitation(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.acceptInvitation> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const byAddress = createRateLimiter({ name: "address", ...limit });
  const byInvitation = createRateLimiter({ name: "invitation", ...limit });
  return async ({ body }, { ip, requestId, reply, request }) => {
    byAddress.take(ip);
    byInvitation.take(sha256Hex(body.token));
    const { organization, person, role, ended } = await accept(deps, body, { ip, requestId });
    void reply.header("cache-control", "no-store");
    if (deps.mail !== null && ended !== null) {
      const message = addressProvedMail(person.email, { portalUrl: deps.addresses.portal_url, ended });
      await sendTo(deps.mail, message, request.log);
    }
    return {
      organization: { id: organization.id, slug: organization.slug, name: organization.name },
      user: { id: person.id, email: person.email, name: person.name },
      role,
      ended,
    };
  };
}
