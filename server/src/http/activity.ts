import type { FastifyReply, FastifyRequest } from "fastify";
import type { ActivityService } from "@mooring/contract";
import type { Activity } from "#domain/identity/index.ts";

/** The owner of a secret that a request sent instead of a token. */
export interface SignedIn {
  readonly id: string;
  readonly orgId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    signedIn: SignedIn | null;
    /** It came too fast for its credential. */
    isLimited: boolean;
  }
  interface FastifyContextConfig {
    /** Name of the surface that the route is of. */
    readonly surface?: string;
  }
}

/** By surface. */
const SERVICES: Readonly<Record<string, ActivityService>> = {
  organization: "organization",
  telemetry: "telemetry",
  query: "query",
  alerts: "alerts",
  files: "files",
  registry: "registry",
  webhooks: "webhooks",
  oauth: "oauth",
  portal: "portal",
};

/** For `answered` of a server: counts the request where it is known whose it was. */
export function countAnswered(
  activity: Pick<Activity, "count">,
): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const whose = request.principal ?? request.signedIn;
    if (whose === null) return;
    const { isLimited } = request;
    activity.count({
      id: whose.id,
      orgId: whose.orgId,
      isPerson: request.principal?.kind === "person",
      service: SERVICES[request.routeOptions.config.surface ?? ""] ?? "other",
      ip: request.ip,
      userAgent: request.headers["user-agent"],
      refused: isLimited || isRefusal(reply.statusCode),
      limited: isLimited,
    });
  };
}

/** An answer that says that the caller may not. */
export function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}
