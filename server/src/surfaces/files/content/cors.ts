import { preflightFields } from "#http/index.ts";
import type { Reply, Request } from "./exchange.ts";

const METHODS = ["GET", "HEAD", "PUT", "OPTIONS"];
const EXPOSED =
  "ETag, Content-Disposition, Content-Length, Content-Range, Accept-Ranges, Last-Modified, Retry-After, Request-Id";
const PREFLIGHT_S = 86_400;

/**
 * Pages of any origin may use a presigned URL (Fetch standard, "CORS protocol"): the URL itself is the permission, and
 * no cookie or token is involved that a page could misuse.
 */
export async function allowOtherOrigins(_request: Request, reply: Reply): Promise<void> {
  void reply.headers({
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED,
    "cross-origin-resource-policy": "cross-origin",
  });
}

export async function answerPreflight(request: Request, reply: Reply): Promise<Reply> {
  void reply.headers({
    ...preflightFields(request, { methods: METHODS, seconds: PREFLIGHT_S }),
    vary: "Access-Control-Request-Headers",
  });
  return reply.code(204).send();
}
