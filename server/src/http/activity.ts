import type { FastifyReply, FastifyRequest } from "fastify";
import type { ActivityService } from "@mooring/contract";
import type { Activity, Principal } from "#domain/identity/index.ts";
import { isId } from "#kernel/ids.ts";
import { countedStatus } from "./metrics.ts";
import { trafficOf } from "./traffic.ts";

/** The owner of a secret or a signature that a request sent instead of a token. */
export interface SignedIn {
  /** Null: an unsigned request to an organization with public data. */
  readonly id: string | null;
  readonly orgId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    signedIn: SignedIn | null;
    /** True: the credential's rate limit refused the request. */
    isLimited: boolean;
  }
  interface FastifyContextConfig {
    /** The surface that answers the requests of the route. */
    readonly surface?: string;
  }
}

/** The service under which the requests of each surface are counted. */
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

/** Returns the `answered` function of a server. It counts each request of an organization. */
export function countAnswered(
  activity: Pick<Activity, "count">,
): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const { principal, accessed, isLimited } = request;
    const whose = principal ?? request.signedIn;
    const traffic = trafficOf(request, reply);
    // Nobody has signed in: the sender knows an address, or something is public.
    const orgId = whose?.orgId ?? accessed?.orgId;
    if (orgId === undefined) return;
    const id = whose?.id ?? null;
    activity.count({
      id,
      orgId,
      isPerson: principal === null ? id !== null && isId("user", id) : principal.kind === "person",
      projectId: accessed?.projectId ?? request.namedProject ?? projectOf(principal),
      ...traffic,
      service: SERVICES[request.routeOptions.config.surface ?? ""] ?? "other",
      ip: request.ip,
      userAgent: request.headers["user-agent"],
      refused: isLimited || isRefusal(countedStatus(request, reply)),
      limited: isLimited,
    });
  };
}

function projectOf(principal: Principal | null): string | null {
  return principal?.kind === "credential" ? principal.projectId : null;
}

/** Whether the answer says that the caller has no permission. */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status === 429;
}
