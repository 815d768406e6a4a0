import type { PORTAL_ROUTES } from "@mooring/contract";
import { signInWithRecoveryCode as signIn } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { answerStep } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

export function signInWithRecoveryCode(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.signInWithRecoveryCode> {
  return async ({ body }, context) => {
    const origin = originOf(context);
    return answerStep(deps.people, context, await signIn(deps.people, body, origin), origin);
  };
}
