import type { OperationContext, Surface } from "#http/index.ts";

/** A request and its answer as the framework has them: the distribution specification has no rows in the contract. */
export type Request = OperationContext["request"];
export type Reply = OperationContext["reply"];
/** The router to mount routes on. */
export type Mounted = Parameters<Surface["mount"]>[0];

/** As bytes, since the framework would add a charset to the type of a text, and clients compare types as a whole. */
export function sendJson(reply: Reply, value: unknown, type = "application/json"): Reply {
  return reply.header("content-type", type).send(Buffer.from(JSON.stringify(value)));
}
