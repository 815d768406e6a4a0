import { createMailedLink, createOperatorLink, openAccountLink, resetUrl } from "#domain/accounts/index.ts";
import { FailureDelay, failurePlaceOf } from "#domain/identity/index.ts";
import { auditInstance, resetPassword as reset, secondFactorsOf } from "#domain/people/index.ts";
import { createRateLimiter, type OperationContext } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { answerStep } from "../cookie.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { mailResetLink, mailVerified, mailReset } from "../mails.ts";
import { originOf, requirePerson } from "../origin.ts";

const TRIES_A_MINUTE = 10;

/** Looks for the account after the answer, so that neither its text nor its time reveals whether there is one. */
export function requestReset({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"requestReset"> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock };
  const tries = createRateLimiter({ name: "address", ...limit });
  return (deps, { body }, context) => {
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
    "This server sends no e-mail. Ask its operator for a link. Operators create one under Instance, Accounts, or with mooring account reset.",
  );
}

async function sendLink(deps: PortalSurfaceDeps, email: string, context: OperationContext): Promise<void> {
  const link = await createMailedLink(deps, { email }, originOf(context));
  if (link !== null) await mailResetLink(deps, link);
}

export function openReset({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"openReset"> {
  const misses = new FailureDelay(clock);
  return async (deps, { body }, { ip, reply }) => {
    void reply.header("cache-control", "no-store");
    const { person, clearsSecondFactor } = await misses.countMisses(failurePlaceOf(ip), () =>
      openAccountLink(deps, body.token),
    );
    const isFirst = person.verified_at === null;
    const has = (await secondFactorsOf(deps.metadata.read, person.id)).length > 0;
    const factor = isFirst || clearsSecondFactor ? "ends" : "required";
    return { email: person.email, first_proof: isFirst, second_factor: has ? factor : "none" };
  };
}

export function resetPassword({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"resetPassword"> {
  const misses = new FailureDelay(clock);
  return async (deps, { body }, context) => {
    // Checked before the password is hashed, because hashing is expensive.
    await misses.countMisses(failurePlaceOf(context.ip), () => openAccountLink(deps, body.token));
    const origin = originOf(context);
    const { step, email, ended } = await reset(deps.people, body, origin);
    if (ended === null) await mailReset(deps, email);
    else await mailVerified(deps, { email, ended });
    return answerStep(deps.people, context, step, origin);
  };
}

export const createResetLink: PortalOperation<"createResetLink"> = async (deps, { params, body }, context) => {
  const origin = originOf(context);
  const clearsSecondFactor = body.clear_second_factor ?? false;
  requirePerson(context);
  const { actor } = context.operator;
  const who = { userId: params.user_id };
  const { token, expiresAtMs } = await createOperatorLink(deps, who, { clearsSecondFactor, actor, origin });
  const target = { kind: "user", id: params.user_id };
  const detail = { clears_second_factor: clearsSecondFactor };
  await auditInstance(deps.people, context.operator, { action: "reset_link.create", target, detail }, origin);
  void context.reply.header("cache-control", "no-store");
  return { reset_url: resetUrl(deps.addresses.portal_url, token), expires_at: isoFromMs(expiresAtMs) };
};
