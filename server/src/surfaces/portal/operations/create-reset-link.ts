import type { PORTAL_ROUTES } from "@mooring/contract";
import { createOperatorLink, resetUrl } from "#domain/accounts/index.ts";
import { auditInstance } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function createResetLink(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.createResetLink> {
  return async ({ params, body }, context) => {
    const origin = originOf(context);
    const clearsSecondFactor = body.clear_second_factor ?? false;
    const actor = { kind: "person", id: context.session.userId } as const;
    const who = { userId: params.user_id };
    const { token, expiresAtMs } = await createOperatorLink(deps, who, { clearsSecondFactor, actor, origin });
    const target = { kind: "user", id: params.user_id };
    const detail = { clears_second_factor: clearsSecondFactor };
    await auditInstance(deps.people, context.session, { action: "reset_link.create", target, detail }, origin);
    void context.reply.header("cache-control", "no-store");
    return { reset_url: resetUrl(deps.addresses.portal_url, token), expires_at: isoFromMs(expiresAtMs) };
  };
}
