import Type from "typebox";
import { closed, nullable } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";

/** Work that the server does by itself, for whoever runs it. */
export const JOB_ROWS = {
  listJobs: route({
    operationId: "listJobs",
    method: "GET",
    path: "/api/instance/jobs",
    tag: "portal",
    summary:
      "List what the server does by itself: at intervals on this node since its start, and from the queue that all nodes share",
    permission: "instance",
    result: Type.Object({
      periodic: Type.Array(
        Type.Object({
          name: Type.String(),
          every_ms: Type.Integer(),
          running_since: nullable(Timestamp),
          last: nullable(
            Type.Object({
              started_at: Timestamp,
              duration_ms: Type.Integer(),
              failure: nullable(Type.String({ description: "null: it worked" })),
            }),
          ),
        }),
      ),
      queued: Type.Array(
        Type.Object({
          kind: Type.String(),
          waiting: Type.Integer({ description: "those that no node runs now" }),
          running: Type.Integer(),
          parked: Type.Integer({
            description: "those that ended their server several times in a row; runJob lets them run again",
          }),
          failing: Type.Integer({ description: "those whose last run failed; they are tried again" }),
          is_lower_bound: Type.Optional(
            Type.Literal(true, { description: "there are more: the 10000 that are due first were counted" }),
          ),
          next_at: nullable(Timestamp),
          last_error: nullable(Type.String({ description: "of one of those that fail" })),
        }),
      ),
    }),
    status: 200,
    problems: [],
  }),
  runJob: route({
    operationId: "runJob",
    method: "POST",
    path: "/api/instance/jobs/{name}/run",
    tag: "portal",
    summary: "Run periodic work of this node now, or the parked jobs of a kind; one that runs goes on",
    permission: "instance",
    params: Type.Object({ name: Type.String({ maxLength: 64 }) }),
    body: Type.Object({}, closed),
    status: 204,
    problems: ["invalid_body", "not_found"],
  }),
} as const;
