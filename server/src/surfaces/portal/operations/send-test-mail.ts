import type { PORTAL_ROUTES } from "@mooring/contract";
import { testMail } from "#domain/mail/index.ts";
import { auditInstance } from "#domain/people/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { MailFailure } from "#stores/mail/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

const TRIES_A_MINUTE = 10;

/** What the mail server says is the answer, a refusal too: that is what is being asked. */
export function sendTestMail(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.sendTestMail> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "person", ...limit });
  return async ({ body: { to } }, context) => {
    const { mail } = deps;
    if (mail === null)
      throw new Problem("conflict", "No mail server is set: set smtp_url and mail_from, and start anew.");
    tries.take(context.session.userId);
    const begunMs = performance.now();
    const answer = await mail.send(testMail(to, deps.addresses.portal_url)).then(
      (reply) => ({ reply: { ...reply }, failure: null }),
      (error: unknown) => {
        if (!(error instanceof MailFailure)) throw error;
        return { reply: error.reply === null ? null : { ...error.reply }, failure: error.message };
      },
    );
    const event = { action: "mail.test", target: { kind: "mail", id: to }, detail: { failure: answer.failure } };
    await auditInstance(deps.people, context.session, event, originOf(context));
    return { ...answer, duration_ms: Math.round(performance.now() - begunMs) };
  };
}
