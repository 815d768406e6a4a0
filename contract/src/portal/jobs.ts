import Type from "typebox";
import { closed, nullable } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";

/** The server's background work, for the operator. */
export const JOB_ROWS = {
  listJobs: route({
    operationId: "listJobs",
    method: "GET",
    path: "/api/instance/jobs",
    tag: "portal",
    summary: "List the server's background work: all periodic work, and the queue that all nodes share",
    permission: "instance",
    result: Type.Object({
      periodic: Type.Array(
        Type.Object({
          name: Type.String(),
          does: Type.String({ description: "its purpose, in one sentence" }),
          on: Type.Union([Type.Literal("each_node"), Type.Literal("one_node")], {
            description: "each_node: the state on the node that answers, since its start; one_node: one node at a time",
          }),
          setting: nullable(Type.String({ description: "the setting that has the interval" })),
          every_ms: nullable(Type.Integer({ description: "null: each of its jobs has an interval" })),
          running_since: nullable(Timestamp),
          is_running: Type.Boolean(),
          next_at: nullable(Timestamp),
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
          does: nullable(Type.String({ description: "the purpose of jobs of this kind" })),
          waiting: Type.Integer({ description: "jobs that are not running now" }),
          running: Type.Integer(),
          parked: Type.Integer({
            description: "parked jobs: they crashed their server several times in a row; runJob starts them again",
          }),
          failing: Type.Integer({ description: "jobs whose last run failed; they are retried" }),
          is_lower_bound: Type.Optional(
            Type.Literal(true, {
              description: "true: there are more; only the 10000 with the earliest due times were counted",
            }),
          ),
          next_at: nullable(Timestamp),
          last_error: nullable(Type.String({ description: "the error of one failing job" })),
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
    summary: "Run periodic work now, or the parked jobs of a kind; work that runs already continues",
    permission: "instance",
    params: Type.Object({ name: Type.String({ maxLength: 64 }) }),
    body: Type.Object({}, closed),
    status: 204,
    problems: ["invalid_body", "not_found"],
  }),
} as const;
