import { preferredType } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { TelemetryOperation, TelemetrySurfaceDeps } from "../deps.ts";
import { filterOf } from "../tail/filter.ts";
import { createLook } from "../tail/look.ts";
import { positionOf, type Position } from "../tail/position.ts";

const EVENTS = "text/event-stream";
const ATTRIBUTE = "attributes.";
const ATTRIBUTES_MAX = 10;

/**
 * `GET /v1/tail/logs`: sends new entries as server-sent events, until the caller disconnects or may no longer see them.
 * @throws Problem `invalid_parameter`, `not_acceptable`, `quota_exceeded`, `telemetry_incomplete`, `unavailable`
 */
export function tailLogs(deps: TelemetrySurfaceDeps): TelemetryOperation<"tailLogs"> {
  const { host, metadata, tails } = deps;
  const look = createLook(metadata, host.clock);
  return async (_deps, { query }, { principal, request, reply }) => {
    if (preferredType(request.headers.accept, [EVENTS]) === null)
      throw new Problem("not_acceptable", `This operation can answer only as ${EVENTS}.`);
    const { level, service, q, trace_id, last_event_id, ...rest } = query;
    const filter = filterOf({ ...defined({ level, service, q, trace_id }), attributes: attributesOf(rest) });
    const since = sinceOf([request.headers["last-event-id"]].flat()[0], last_event_id);
    const seen = await look(principal, true);
    await deps.store.requireWhole(principal.orgId);
    tails.admit(principal.orgId);
    void reply.headers({ "content-type": EVENTS, "cache-control": "no-store", "x-accel-buffering": "no" });
    if (request.method === "HEAD") {
      await reply.send("");
      return undefined as never; // HEAD needs only the header.
    }
    reply.logStream();
    reply.hijack();
    tails.open(reply.raw, {
      orgId: principal.orgId,
      filter,
      seen,
      look: async (fresh) => {
        const present = await host.readmit(request, "telemetry:read");
        await deps.store.requireWholeLately(present.orgId);
        return look(present, fresh);
      },
      since,
      headers: reply.getHeaders(),
    });
    return undefined as never; // The stream is the answer.
  };
}

/**
 * The sender of entries chooses the names of attributes, so they are checked here. The contract checks the other
 * parameters.
 */
function attributesOf(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const conditions = Object.entries(query).map(([name, value]) => [name.slice(ATTRIBUTE.length), String(value)]);
  if (conditions.length > ATTRIBUTES_MAX)
    throw new Problem("invalid_parameter", `A tail takes at most ${ATTRIBUTES_MAX} conditions on attributes.`);
  return Object.fromEntries(conditions) as Record<string, string>;
}

/** An EventSource sends the header when it reconnects, so it is later than the parameter in the address. */
function sinceOf(header: string | undefined, parameter: string | undefined): Position | undefined {
  const id = header || parameter;
  if (id === undefined || id === "") return undefined;
  const position = positionOf(id);
  if (position !== undefined) return position;
  throw new Problem(
    "invalid_parameter",
    "The id of the last event is not valid. Leave it out to begin with new entries.",
    {
      errors: [{ pointer: "/last_event_id", detail: "must be the id of an event of this stream" }],
    },
  );
}

function defined<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
