import type { FastifyInstance } from "fastify";
import type { Problem } from "#kernel/problem.ts";
import { HttpProblem } from "./problems.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    readonly operationId?: string;
    /** The route streams its body instead of keeping it in memory, and has its own time limit. */
    readonly streamsBody?: boolean;
    /** The methods that `Allow` names, when the route accepts more methods only to refuse them. */
    readonly allow?: readonly string[];
  }
}

/**
 * Limits the time for the body of a request without a principal. No budget counts these bodies (see `holdBodies`), so a
 * slow sender could keep a connection and its memory without end.
 */
export function limitBodyTime(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("preParsing", async (request, reply, payload) => {
    const isBounded = request.routeOptions.config.streamsBody === true;
    if (request.principal !== null || isBounded || request.raw.complete) return payload;
    const deadline = setTimeout(() => {
      // Reports an error to the reader of the body. Destroying the body would close the connection before the answer is
      // sent.
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
