import type { OperatorCaller } from "#domain/operator/index.ts";
import type { Origin } from "#domain/people/index.ts";
import { cookieOf, type OperationContext } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";

/** Proves that somebody signed in with this browser before. It outlives the session and gives no access. */
export const DEVICE_COOKIE = "__Host-mooring-device";

/** Returns the facts about a request's origin that are stored. */
export function originOf({ ip, requestId, request }: Pick<OperationContext, "ip" | "requestId" | "request">): Origin {
  const device = cookieOf(request, DEVICE_COOKIE) ?? null;
  return { ip, requestId, userAgent: request.headers["user-agent"] ?? null, device };
}

/** Returns the operator who acts, for the audit log. */
export function operatorOf({
  operator,
  ip,
  requestId,
}: Pick<OperationContext, "operator" | "ip" | "requestId">): OperatorCaller {
  return { actor: operator.actor, ip, requestId };
}

/** An operator token that leaked must not keep itself alive, or make its thief an operator. @throws Problem `forbidden` */
export function requirePerson({ operator }: Pick<OperationContext, "operator">): void {
  if (operator.actor.kind === "person") return;
  throw new Problem("forbidden", "An operator token can't do this. Do it in the portal, or after mooring login.");
}
