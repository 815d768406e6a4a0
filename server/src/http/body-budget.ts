import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { BODIES_BYTES_MAX, BODIES_BYTES_ORGANIZATION_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";

declare module "fastify" {
  interface FastifyReply {
    /**
     * Counts a part of a streamed body that is kept in memory until the request is over.
     * @throws Problem as `BodyBudget.hold` does
     */
    holdBody(bytes: number): void;
  }
}

/** The most bytes of request bodies that may be in memory at one time. */
export interface BodyLimits {
  readonly totalBytesMax: number;
  readonly organizationBytesMax: number;
}

/** The credential or person that sends a body. */
export interface Holder {
  readonly orgId: string;
  readonly id: string;
}

export interface BodyBudget {
  /**
   * Counts the bytes until the returned function is called. Calling it again does nothing.
   * @throws Problem `rate_limited` when the organization's limit, or half of it by one sender, is reached; `unavailable`
   * when the total limit is reached
   */
  hold(holder: Holder, bytes: number): () => void;
}

export const BODY_LIMITS: BodyLimits = {
  totalBytesMax: BODIES_BYTES_MAX,
  organizationBytesMax: BODIES_BYTES_ORGANIZATION_MAX,
};

/** The assumed size of a body without Content-Length. */
const UNKNOWN_LENGTH_BYTES = 4 * 1024 * 1024;

export function createBodyBudget({ totalBytesMax, organizationBytesMax }: BodyLimits): BodyBudget {
  /** By organization, and by sender. */
  const held = new Map<string, number>();
  const senderBytesMax = organizationBytesMax / 2;
  let total = 0;

  function change(key: string, bytes: number): void {
    const own = (held.get(key) ?? 0) + bytes;
    if (own === 0) held.delete(key);
    else held.set(key, own);
  }

  return {
    hold: ({ orgId, id }, bytes) => {
      const sender = `${orgId} ${id}`;
      const own = held.get(sender) ?? 0;
      // A single body may be larger.
      if (own > 0 && own + bytes > senderBytesMax) {
        const detail = `You have requests of ${own} bytes under way, and this one has ${bytes}; one credential or person may have ${senderBytesMax}. Wait until some have ended.`;
        throw new Problem("rate_limited", detail);
      }
      if ((held.get(orgId) ?? 0) + bytes > organizationBytesMax) {
        const detail = "Your organization has too many large requests under way; wait until some have ended.";
        throw new Problem("rate_limited", detail);
      }
      if (total + bytes > totalBytesMax)
        throw new Problem("unavailable", "Too many large requests are under way; send this one again shortly.");
      const changeAll = (by: number): void => {
        total += by;
        change(orgId, by);
        change(sender, by);
      };
      changeAll(bytes);
      let isHeld = true;
      return () => {
        if (isHeld) changeAll(-bytes);
        isHeld = false;
      };
    },
  };
}

/**
 * Counts the body of each admitted request, from before its first byte is read until the request is over. So many slow
 * or waiting bodies can't fill the memory. Requests without a principal have small bodies, see `PUBLIC_BODY_BYTES_MAX`.
 */
export function holdBodies(app: FastifyInstance, budget: BodyBudget): void {
  app.decorateReply("holdBody", function (this: FastifyReply, bytes) {
    const { principal } = this.request;
    if (principal !== null && bytes > 0) this.raw.once("close", budget.hold(principal, bytes));
  });
  app.addHook("preParsing", async (request, reply, payload) => {
    const bytes = request.routeOptions.config.streamsBody === true ? 0 : bytesOf(request);
    if (request.principal !== null && bytes > 0) {
      const release = budget.hold(request.principal, bytes);
      reply.raw.once("close", release);
    }
    return payload;
  });
}

/** Returns 0 for a body that is longer than the route accepts, because it is refused unread. */
function bytesOf(request: FastifyRequest): number {
  const limit = request.routeOptions.bodyLimit ?? 0;
  if (request.headers["transfer-encoding"] !== undefined) return Math.min(limit, UNKNOWN_LENGTH_BYTES);
  const bytes = Number(request.headers["content-length"] ?? 0);
  return bytes <= limit ? bytes : 0;
}
