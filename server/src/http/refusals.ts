import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isId, newId } from "#kernel/ids.ts";
import type { Refusal, RefusedActor, RefusedRequest } from "#kernel/refusal.ts";
import type { Clock } from "#kernel/time.ts";
import { countedStatus, routeOf } from "./metrics.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What the error of the answer says. Null: the request was not refused, or by an answer without an error. */
    refusal: Refusal | null;
    /** Whether the observers of refusals have seen the request. */
    isRefusalSeen: boolean;
  }
}

const REFUSED_MIN = 400;

/**
 * Calls `refused` once for each answer with a status of 400 or more, before the answer is sent. So a caller who has the
 * answer finds its record. Answers that the framework does not send are seen when they have ended.
 */
export function observeRefusals(
  app: FastifyInstance,
  refused: (request: FastifyRequest, reply: FastifyReply) => void,
): { readonly ended: (request: FastifyRequest, reply: FastifyReply) => void } {
  app.decorateRequest("refusal", null);
  app.decorateRequest("isRefusalSeen", false);
  const see = (request: FastifyRequest, reply: FastifyReply): void => {
    const status = countedStatus(request, reply);
    if (status < REFUSED_MIN || request.isRefusalSeen || isStateAnswer(request, status)) return;
    request.isRefusalSeen = true;
    refused(request, reply);
  };
  app.addHook("onSend", (request, reply, _payload, done) => {
    see(request, reply);
    done();
  });
  return { ended: see };
}

/** `/health` and `/readyz` answer 503 for an unhealthy server. They refuse nobody, and load balancers ask every second. */
function isStateAnswer(request: FastifyRequest, status: number): boolean {
  return request.routeOptions.config.surface === "health" && status === 503;
}

/** Returns the facts of a refused request that its listener knows. */
export function refusedRequestOf(
  request: FastifyRequest,
  reply: FastifyReply,
  clock: Clock,
): RefusedRequest & { readonly refusal: Refusal | null } {
  const { config, url } = request.routeOptions;
  const atMs = clock.nowMs();
  const isOurs = isId("req", request.id) && request.headers["request-id"] !== request.id;
  return {
    // A caller may send any id, also that of another request.
    id: isOurs ? request.id : newId("req", atMs),
    clientId: isOurs ? null : request.id,
    atMs,
    surface: config.surface ?? "other",
    operation: config.operationId ?? request.operation ?? routeOf(request) ?? url ?? "unknown",
    method: request.method,
    status: countedStatus(request, reply),
    refusal: request.refusal,
    actor: actorOf(request),
    ip: request.ip ?? null,
    userAgent: request.headers["user-agent"] ?? null,
  };
}

/** Returns the caller that a request has proved to be. */
function actorOf({ principal, session, operator, signedIn }: FastifyRequest): RefusedActor | null {
  if (principal?.kind === "person") {
    const { id, orgId, via } = principal;
    return { kind: "person", id, orgId, tokenId: via?.id ?? null };
  }
  if (principal !== null) {
    const { id, orgId, ownerId } = principal;
    if (ownerId !== undefined) return { kind: "person", id: ownerId, orgId, tokenId: id };
    return { kind: "credential", id, orgId };
  }
  if (session !== null) return { kind: "person", id: session.userId, orgId: null };
  if (operator !== null) {
    const { kind, id, via } = operator.actor;
    return { kind, id, orgId: null, tokenId: via ?? null };
  }
  if (signedIn === null || signedIn.id === null) return null;
  const { id, orgId } = signedIn;
  return { kind: isId("key", id) ? "key" : isId("user", id) ? "person" : "credential", id, orgId };
}
