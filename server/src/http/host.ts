import type { FastifyReply, FastifyRequest } from "fastify";
import type { Permission } from "@mooring/contract";
import type { Authenticator, Principal } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { SignedIn } from "./activity.ts";
import { admit, type TokenPermission } from "./authentication.ts";
import type { IdempotencyRecords } from "./idempotency.ts";
import { createRateLimiter, sendRateLimitFields, takeToken } from "./rate-limit.ts";
import { admitSession, requireConfirmed, requireSameOrigin, type Sessions } from "./sessions.ts";

/** The dependencies of the conventions on the rest of the product; created once by `app/build.ts`. */
export interface HttpHost {
  /** Authenticates, checks the permission, takes a token from the credential's bucket, or from the person's. */
  admit(request: FastifyRequest, reply: FastifyReply, permission: Permission): Promise<void>;
  /** @throws Problem `cross_site` when a page of another site may have sent the request */
  requireSameOrigin(request: FastifyRequest): void;
  /**
   * Requires that an admitted person confirmed their identity within ten minutes.
   * @throws Problem `confirmation_required`
   */
  requireConfirmed(request: FastifyRequest): void;
  /**
   * Checks again who the caller is and whether it has the permission, for answers that take long. Takes no token of the
   * rate limit.
   * @throws Problem as `admit` does
   */
  readmit(request: FastifyRequest, permission: TokenPermission): Promise<Principal>;
  /**
   * Takes a token from a bucket of the credential's sign-ins, for requests that show its secret instead of a token.
   * @throws Problem `rate_limited`
   */
  countSignIn(reply: FastifyReply, credential: SignedIn): void;
  /**
   * Takes a token from the credential's bucket, for requests that were admitted by other means than `admit`.
   * @throws Problem `rate_limited`
   */
  countRequest(reply: FastifyReply, principalId: string): void;
  /**
   * Takes a token from a bucket of the peer's address, for requests without any credential.
   * @throws Problem `rate_limited`
   */
  countAddress(reply: FastifyReply, ip: string): void;
  readonly idempotency: IdempotencyRecords;
  readonly clock: Clock;
}

export interface HttpHostOptions {
  readonly authenticator: Authenticator;
  /** Absent where no route asks for a session. */
  readonly sessions?: Sessions;
  readonly idempotency: IdempotencyRecords;
  readonly clock: Clock;
  /** Requests of one principal, or of one address without a credential: sustained a second, and burst. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
}

export function createHttpHost(options: HttpHostOptions): HttpHost {
  const limiter = createRateLimiter({ name: "credential", ...options.rateLimit, clock: options.clock });
  const addresses = createRateLimiter({ name: "address", ...options.rateLimit, clock: options.clock });
  return {
    idempotency: options.idempotency,
    clock: options.clock,
    admit: async (request, reply, permission) => {
      if (permission === "public") return;
      if (permission === "session" || permission === "instance") {
        const { userId } = await admitSession(request, permission, sessionsOf(options));
        takeToken(reply, limiter, userId);
        keepFromCaches(reply);
        return;
      }
      const principal = await admit(request, permission, options.authenticator);
      takeToken(reply, limiter, principal.id);
      keepFromCaches(reply);
    },
    requireSameOrigin: (request) => requireSameOrigin(request, sessionsOf(options).portalOrigins),
    requireConfirmed: (request) => requireConfirmed(request.principal ?? request.session, options.clock),
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
 * The address does not name the person: the next person at the same browser must get none of the answer, online or not.
 */
function keepFromCaches(reply: FastifyReply): void {
  void reply.header("cache-control", "no-store");
}

function sessionsOf({ sessions }: HttpHostOptions): Sessions {
  if (sessions === undefined) throw new Error("no sessions: a route asks for one where people don't sign in");
  return sessions;
}
