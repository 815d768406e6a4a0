import type { Origin } from "#domain/people/index.ts";
import { cookieOf, type OperationContext } from "#http/index.ts";

/** Says that somebody signed in with this browser before. It outlives the session and opens nothing. */
export const DEVICE_COOKIE = "__Host-mooring-device";

/** The stored facts about the origin of a request. */
export function originOf({ ip, requestId, request }: Pick<OperationContext, "ip" | "requestId" | "request">): Origin {
  const device = cookieOf(request, DEVICE_COOKIE) ?? null;
  return { ip, requestId, userAgent: request.headers["user-agent"] ?? null, device };
}
