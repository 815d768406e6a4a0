import type { OperatorCaller } from "#domain/operator/index.ts";
import type { Origin } from "#domain/people/index.ts";
import { cookieOf, type OperationContext } from "#http/index.ts";

/** Proves that somebody signed in with this browser before. It outlives the session and gives no access. */
export const DEVICE_COOKIE = "__Host-mooring-device";

/** Returns the facts about a request's origin that are stored. */
export function originOf({ ip, requestId, request }: Pick<OperationContext, "ip" | "requestId" | "request">): Origin {
  const device = cookieOf(request, DEVICE_COOKIE) ?? null;
  return { ip, requestId, userAgent: request.headers["user-agent"] ?? null, device };
}

/** Returns the operator who acts, for the audit log. */
export function operatorOf({
  session,
  ip,
  requestId,
}: Pick<OperationContext, "session" | "ip" | "requestId">): OperatorCaller {
  return { actor: { kind: "person", id: session.userId }, ip, requestId };
}
