import type { Plan } from "#domain/identity/index.ts";
import type { OperationContext } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "./deps.ts";

/** Answers a dry run with the effects, in place of the answer of the act. */
export async function sendPlan(
  { identity: { activity } }: OrganizationSurfaceDeps,
  { reply }: OperationContext,
  { stops, adopts, projects, etag }: Plan,
): Promise<never> {
  await activity.flush();
  const requests = await activity.requestsOf(stops.map(({ id }) => id));
  const body = {
    stops: stops.map(({ lastUsedAtMs, ...stop }) => ({
      ...stop,
      last_used_at: lastUsedAtMs === null ? null : isoFromMs(lastUsedAtMs),
      requests_24h: requests.get(stop.id) ?? 0,
    })),
    adopts,
    projects,
    etag,
  };
  // The answer has another form than the row's, and `mountRoute` sees that it is sent.
  return reply.code(200).send(body) as never;
}
