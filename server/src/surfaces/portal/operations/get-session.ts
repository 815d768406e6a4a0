import type { PORTAL_ROUTES } from "@mooring/contract";
import { hasExternalIdentity, membershipsOf, noticeOf, personById, securityOf } from "#domain/people/index.ts";
import { lackingOf, parsePolicy } from "#domain/identity/index.ts";
import { standingOf } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function getSession(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.getSession> {
  return async (_input, { session, reply }) => {
    const { read } = deps.people.metadata;
    const { id, userId, email, name, instanceAdmin, method } = session;
    const person = await personById(read, userId);
    const security = await securityOf(read, userId);
    const standing = standingOf(session, security.hasTotp || security.passkeys > 0);
    void reply.header("cache-control", "no-store");
    return {
      user: { id: userId, email, name, instance_admin: instanceAdmin, email_verified: person?.verified_at !== null },
      organizations: (await membershipsOf(read, userId)).map(({ policy, ...membership }) => ({
        ...membership,
        refused: lackingOf(parsePolicy(policy).people, standing),
      })),
      session: {
        id,
        method,
        confirmed_at: isoFromMs(session.confirmedAtMs),
        expires_at: isoFromMs(session.expiresAtMs),
      },
      security: {
        has_password: person?.password_hash !== null,
        has_totp: security.hasTotp,
        passkeys: security.passkeys,
        recovery_codes_left: security.recoveryCodesLeft,
        has_identity: await hasExternalIdentity(read, userId),
      },
      notice: await noticeOf(deps.people, session),
      sends_email: deps.mail !== null,
    };
  };
}
