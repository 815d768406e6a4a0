import type { PORTAL_ROUTES } from "@mooring/contract";
import { createMailedLink } from "#domain/accounts/index.ts";
import { createRateLimiter, type Operation, type OperationContext } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { mailResetLink } from "../mails.ts";
import { originOf } from "../origin.ts";

const TRIES_A_MINUTE = 10;

/** Looks for the account after the answer: neither its words nor its time say whether there is one. */
export function requestReset(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.requestReset> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "address", ...limit });
  return ({ body }, context) => {
    tries.take(context.ip);
    requireMail(deps);
    setImmediate(() => {
      sendLink(deps, body.email, context).catch((error: unknown) => {
        context.request.log.error({ err: error }, "cannot mail a reset link");
      });
    });
    return undefined;
  };
}

/** @throws Problem `conflict` */
export function requireMail({ mail }: Pick<PortalSurfaceDeps, "mail">): void {
  if (mail !== null) return;
  throw new Problem(
    "conflict",
    "This server sends no e-mail. Ask whoever runs it for a link: they make one under Instance, Accounts, or with mooring account reset.",
  );
}

async function sendLink(deps: PortalSurfaceDeps, email: string, context: OperationContext): Promise<void> {
  const link = await createMailedLink(deps, { email }, originOf(context));
  if (link !== null) await mailResetLink(deps, link, context.request.log);
}
