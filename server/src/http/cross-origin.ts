import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "#kernel/problem.ts";
import type { HttpHost } from "./host.ts";
import type { PageOrigins } from "./page-origins.ts";

export interface CrossOriginOptions {
  readonly host: Pick<HttpHost, "countAddress">;
  readonly origins: PageOrigins;
  /** The methods of the routes. */
  readonly methods: readonly string[];
  /** How to allow an origin, for the refusal of a preflight. */
  readonly advice: string;
}

/** The fields of answers that pages may read. Browsers always show a few others. */
const EXPOSED = [
  "Location",
  "ETag",
  "Request-Id",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "WWW-Authenticate",
  "Idempotent-Replayed",
  "Tus-Resumable",
  "Tus-Version",
  "Tus-Extension",
  "Tus-Max-Size",
  "Tus-Checksum-Algorithm",
  "Upload-Offset",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Expires",
].join(", ");
/** Short, because an origin can be removed. */
const PREFLIGHT_S = 600;

/**
 * Lets pages of allowed origins use the routes of a scope (Fetch standard, "CORS protocol"). The routes take tokens
 * only: no answer allows credentials, so a browser sends no cookie and no page can act as its visitor.
 *
 * An answer with a principal is readable if its organization allows the origin, errors included. An answer without one
 * has no data of an organization, so any organization may allow it: a page can read that its token has expired.
 */
export function openToPages(scope: FastifyInstance, { host, origins, methods, advice }: CrossOriginOptions): void {
  scope.addHook("onRequest", async (request, reply) => {
    void reply.header("vary", "Origin, Access-Control-Request-Headers");
    if (!isPreflight(request)) return;
    host.countAddress(reply, request.ip);
    if (!(await origins.isAllowed(request.headers.origin ?? ""))) throw notAllowed(advice);
    void reply.headers(preflightFields(request, { methods, seconds: PREFLIGHT_S }));
  });
  scope.addHook("onSend", async (request, reply) => allowReading(request, reply, origins));
}

/**
 * Lets pages send telemetry to POST routes of a scope, if an ingest key names their origin (see `KeyOrigins`). `urls`: the
 * routes, which get an OPTIONS route for preflights.
 */
export function openToSendingPages(
  scope: FastifyInstance,
  host: Pick<HttpHost, "countAddress" | "senderOrigins">,
  urls: readonly string[],
): void {
  const { senderOrigins: origins } = host;
  if (origins === undefined) return;
  const advice = "Name it in the origins of an ingest key.";
  openToPages(scope, { host, origins, methods: ["POST", "OPTIONS"], advice });
  const handler = (_request: unknown, reply: FastifyReply) => reply.code(204).header("allow", "OPTIONS, POST").send();
  for (const url of urls)
    scope.route({ method: "OPTIONS", url, config: { operationId: "preflightTelemetry" }, handler });
}

/** Returns the fields of an allowed preflight. Any header field may be sent, because none gives a permission by itself. */
export function preflightFields(
  { headers }: Pick<FastifyRequest, "headers">,
  { methods, seconds }: { readonly methods: readonly string[]; readonly seconds: number },
): Record<string, string> {
  const asked = headers["access-control-request-headers"];
  return {
    "access-control-allow-methods": methods.join(", "),
    ...(asked === undefined ? {} : { "access-control-allow-headers": asked }),
    "access-control-max-age": String(seconds),
  };
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

async function allowReading(request: FastifyRequest, reply: FastifyReply, origins: PageOrigins): Promise<void> {
  const { origin } = request.headers;
  if (origin === undefined) return;
  try {
    const { principal } = request;
    const isAllowed = principal === null ? origins.isAllowed(origin) : origins.isAllowedBy(principal.orgId, origin);
    if (!(await isAllowed)) return;
    void reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED });
  } catch (error) {
    // The answer stays as it is, and the page can't read it.
    request.log.warn({ err: error }, "cannot read the allowed origins");
  }
}

function notAllowed(advice: string): Problem {
  return new Problem("cross_site", `No organization allows pages of this origin. ${advice}`);
}
