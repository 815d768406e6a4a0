import type { FastifyReply, FastifyRequest } from "fastify";
import type { Permission } from "@mooring/contract";
import type { Authenticator, Principal, SenderProjects, Senders } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { SignedIn } from "./activity.ts";
import { admit, bearerOf, type Admission, type TokenPermission } from "./authentication.ts";
import { createCompression, type Compression } from "./compression.ts";
import type { IdempotencyRecords } from "./idempotency.ts";
import type { PageOrigins } from "./page-origins.ts";
import { createRateLimiter, sendRateLimitFields, takeToken } from "./rate-limit.ts";
import { admitSender, namedProjectOf } from "./senders.ts";
import {
  admitSession,
  requireConfirmed,
  requireConfirmedOperator,
  requireSameOrigin,
  type Operators,
  type Sessions,
} from "./sessions.ts";

/** Everything that the HTTP conventions need from the rest of the product. `app/build.ts` creates it once. */
export interface HttpHost {
  /**
   * Authenticates, checks the permission, and takes a token from the bucket of the credential or person. `isHarmless`: the
   * operation only reads, or only takes access away, so a read-only organization allows it. `keeps`: people may do it in a
   * deleted organization.
   */
  admit(request: FastifyRequest, reply: FastifyReply, permission: Permission, options?: Admission): Promise<void>;
  /**
   * Admits a program that sends telemetry: with an ingest key, in any of the places that agents use, or with an access token
   * that has `telemetry:write`. Also takes a token from the bucket of the credential, and finds the project that the request names.
   * @throws Problem as `Senders.authenticate`, `admit` and `SenderProjects.find`
   */
  admitSender(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The origins of pages that may send telemetry; see `openToSendingPages`. */
  readonly senderOrigins: PageOrigins | undefined;
  /**  @throws Problem `cross_site` when a page of another site may have sent the request */
  requireSameOrigin(request: FastifyRequest): void;
  /**
   * Requires that an admitted person has confirmed their identity within the last ten minutes.
   * @throws Problem `confirmation_required`, `insufficient_user_authentication`
   */
  requireConfirmed(request: FastifyRequest): void;
  /**
   * Authenticates and checks the permission again, for answers that take long. Takes no token of the rate limit.
   * @throws Problem as `admit` does
   */
  readmit(request: FastifyRequest, permission: TokenPermission): Promise<Principal>;
  /**
   * Takes a token from the bucket for a credential's sign-ins, for requests that send its secret instead of an access
   * token.
   * @throws Problem `rate_limited`
   */
  countSignIn(reply: FastifyReply, credential: SignedIn): void;
  /**
   * Takes a token from the credential's bucket, for requests that were not admitted by `admit`.
   * @throws Problem `rate_limited`
   */
  countRequest(reply: FastifyReply, principalId: string): void;
  /**
   * Takes a token from the bucket of the peer's address, for requests without a credential.
   * @throws Problem `rate_limited`
   */
  countAddress(reply: FastifyReply, ip: string): void;
  readonly idempotency: IdempotencyRecords;
  readonly compression: Compression;
  readonly clock: Clock;
}

export interface HttpHostOptions {
  readonly authenticator: Authenticator;
  /** Absent when no route takes ingest keys. */
  readonly senders?: Pick<Senders, "authenticate">;
  /** The projects that senders may name. Absent: none. */
  readonly senderProjects?: Pick<SenderProjects, "find">;
  /** The origins of pages that may send telemetry. Absent: none. */
  readonly senderOrigins?: PageOrigins;
  /** Absent when no route needs a session. */
  readonly sessions?: Sessions;
  /** Absent when operators have sessions only. */
  readonly operators?: Operators;
  readonly idempotency: IdempotencyRecords;
  readonly clock: Clock;
  /** Limits for requests of one principal, or of one address without a credential: sustained a second, and burst. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
}

export function createHttpHost(options: HttpHostOptions): HttpHost {
  const limiter = createRateLimiter({ name: "credential", ...options.rateLimit, clock: options.clock });
  const addresses = createRateLimiter({ name: "address", ...options.rateLimit, clock: options.clock });
  return {
    idempotency: options.idempotency,
    clock: options.clock,
    compression: createCompression(),
    senderOrigins: options.senderOrigins,
    admit: async (request, reply, permission, admission = { isHarmless: false }) => {
      if (permission === "public") return;
      if (permission === "instance" && options.operators !== undefined && hasToken(request)) {
        request.operator = await options.operators.authenticate(bearerOf(request));
        takeToken(reply, limiter, request.operator.actor.id);
        keepFromCaches(reply);
        return;
      }
      if (permission === "session" || permission === "instance") {
        const { userId } = await admitSession(request, permission, sessionsOf(options));
        takeToken(reply, limiter, userId);
        keepFromCaches(reply);
        return;
      }
      const principal = await admit(request, permission, options.authenticator, admission);
      takeToken(reply, limiter, principal.id);
      keepFromCaches(reply);
    },
    admitSender: async (request, reply) => {
      const principal = await admitSender(request, options).catch((error: unknown) => {
        if (error instanceof Problem && error.code === "rate_limited") request.isLimited = true;
        throw error;
      });
      takeToken(reply, limiter, principal.id);
      keepFromCaches(reply);
      request.namedProject = await namedProjectOf(request, principal, options.senderProjects);
    },
    requireSameOrigin: (request) => requireSameOrigin(request, sessionsOf(options).portalOrigins),
    requireConfirmed: (request) => {
      const { principal, session, operator } = request;
      if (session === null && operator !== null) requireConfirmedOperator(operator, options.clock);
      else requireConfirmed(principal ?? session, options.clock);
    },
    readmit: (request, permission) => admit(request, permission, options.authenticator),
    countSignIn: (reply, { id, orgId }) => {
      reply.request.signedIn = { id, orgId };
      takeToken(reply, limiter, `sign-in ${id}`);
    },
    countRequest: (reply, principalId) => takeToken(reply, limiter, principalId),
    countAddress: (reply, ip) => sendRateLimitFields(reply, addresses, addresses.take(ip)),
  };
}

/**
 * Whether the request has an access token. Browsers do not send one by themselves, so such a request needs no check of its
 * origin.
 */
export function hasToken(request: FastifyRequest): boolean {
  return request.headers.authorization !== undefined;
}

/** The URL does not identify the person, so a cache could show the answer to the next person at the same browser. */
function keepFromCaches(reply: FastifyReply): void {
  void reply.header("cache-control", "no-store");
}

function sessionsOf({ sessions }: HttpHostOptions): Sessions {
  if (sessions === undefined) throw new Error("no sessions: a route needs one, but people can't sign in here");
  return sessions;
}
