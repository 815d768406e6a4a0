import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { FailureDelay, failurePlaceOf } from "#domain/identity/index.ts";
import { addressProvedMail, sendTo } from "#domain/mail/index.ts";
import { acceptInvitation as accept } from "#domain/organizations/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";

const TRIES_A_MINUTE = 10;

/**
 * Public, and it may ask for the password of an account that exists: so tries with a right link are counted by that link. Whoever shows links that are none has to
 * wait, and keeps nobody at the same address from a right one.
 */
export function acceptInvitation(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.acceptInvitation> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const misses = new FailureDelay(deps.clock);
  const byInvitation = createRateLimiter({ name: "invitation", ...limit });
  return async ({ body }, { ip, requestId, reply, request }) => {
    byInvitation.take(sha256Hex(body.token));
    const { organization, person, role, ended } = await misses.countMisses(failurePlaceOf(ip), () =>
      accept(deps, body, { ip, requestId }),
    );
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
