import type { FastifyInstance } from "fastify";
import type { Problem } from "#kernel/problem.ts";
import { HttpProblem } from "./problems.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    readonly operationId?: string;
    /** The route reads its body as a stream, never has it in memory, and bounds its time itself. */
    readonly streamsBody?: boolean;
    /** The methods that a refusal names, where the route takes more of them to refuse them itself. */
    readonly allow?: readonly string[];
  }
}

/**
 * Bounds the time in which the body of a request without a principal arrives. Such bodies are counted in no budget, see
 * `holdBodies`, and one that drips would keep its connection and its memory for as long as the sender likes.
 */
export function limitBodyTime(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("preParsing", async (request, reply, payload) => {
    const isBounded = request.routeOptions.config.streamsBody === true;
    if (request.principal !== null || isBounded || request.raw.complete) return payload;
    const deadline = setTimeout(() => {
      // An error for the reader of the body. Destroying it instead would close the connection before the answer.
      payload.emit("error", tooSlow(timeoutMs));
    }, timeoutMs);
    payload.on("error", () => clearTimeout(deadline));
    payload.once("end", () => clearTimeout(deadline));
    reply.raw.once("close", () => clearTimeout(deadline));
    return payload;
  });
}

function tooSlow(timeoutMs: number): Problem {
  return new HttpProblem("request_timeout", `The body did not arrive within ${timeoutMs / 1000} seconds.`, {
    connection: "close",
  });
}
