import type { FastifyReply, FastifyRequest } from "fastify";
import { routeOf } from "#http/index.ts";
import type { LabelsOf, Metrics } from "#kernel/metrics/index.ts";

type Labels = LabelsOf<"mooring_signins_total">;

/** The routes that check a secret. */
const KINDS: ReadonlyMap<string, Labels["kind"]> = new Map([
  ["/api/sign-in/password", "password"],
  ["/api/sign-in/totp", "totp"],
  ["/api/sign-in/recovery-code", "recovery code"],
  ["/api/sign-in/passkey", "passkey"],
  ["/oauth/token", "token"],
]);

/** Counts sign-ins by the answers to their requests. */
export function countSignIns(metrics: Metrics): (request: FastifyRequest, reply: FastifyReply) => void {
  const signIns = metrics.counter("mooring_signins_total");
  return (request, reply) => {
    const kind = KINDS.get(routeOf(request) ?? "");
    if (kind !== undefined) signIns.inc({ kind, result: resultOf(reply.statusCode) });
  };
}

function resultOf(status: number): Labels["result"] {
  if (status < 400) return "accepted";
  if (status === 429) return "limited";
  return status < 500 ? "refused" : "failed";
}
