import type { OperationContext, Surface } from "#http/index.ts";

/** The framework's request and answer. The distribution specification has no rows in the contract. */
export type Request = OperationContext["request"];
export type Reply = OperationContext["reply"];
/** The router to mount routes on. */
export type Mounted = Parameters<Surface["mount"]>[0];

/** Sends bytes: for text the framework would add a charset to the type, and clients compare the whole type. */
export function sendJson(reply: Reply, value: unknown, type = "application/json"): Reply {
  return reply.header("content-type", type).send(Buffer.from(JSON.stringify(value)));
}
