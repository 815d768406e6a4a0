import type { Origin } from "#domain/people/index.ts";
import type { OperationContext } from "#http/index.ts";

/** What is kept about where a request came from. */
export function originOf({ ip, requestId, request }: Pick<OperationContext, "ip" | "requestId" | "request">): Origin {
  return { ip, requestId, userAgent: request.headers["user-agent"] ?? null };
}
