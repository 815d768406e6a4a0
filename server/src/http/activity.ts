import type { FastifyReply, FastifyRequest } from "fastify";
import type { ActivityService } from "@mooring/contract";
import type { Activity } from "#domain/identity/index.ts";
import { isId } from "#kernel/ids.ts";

/** The owner of a secret, or of a signature, that a request sent instead of a token. */
export interface SignedIn {
  /** Null: anybody, in an organization that is open to everybody. */
  readonly id: string | null;
  readonly orgId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    signedIn: SignedIn | null;
    /** It came too fast for its credential. */
    isLimited: boolean;
  }
  interface FastifyContextConfig {
    /** Name of the surface that the route is of; another one for a route that passes its requests on. */
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
  s3: "s3",
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
    if (whose === null || whose.id === null) return;
    const { isLimited } = request;
    activity.count({
      id: whose.id,
      orgId: whose.orgId,
      isPerson: request.principal === null ? isId("user", whose.id) : request.principal.kind === "person",
      service: SERVICES[request.routeOptions.config.surface ?? ""] ?? "other",
      ip: request.ip,
      userAgent: request.headers["user-agent"],
      refused: isLimited || isRefusal(reply.statusCode),
      limited: isLimited,
    });
  };
}

/** An answer that says that the caller may not. */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}
