import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Problem } from "#kernel/problem.ts";

/**
 * One interface of the product. `mount` is called once, inside an encapsulated Fastify context of the surface's own, so
 * its content-type parsers and error renderer stay with it.
 */
export interface Surface {
  readonly name: string;
  mount(app: FastifyInstance): void | Promise<void>;
  /** The error format of a surface with a separate one: also for refusals before a route is found. */
  readonly errors?: ErrorForm;
  /**
   * The only surface of its listener, mounted at `/`: it gets each request as it came, with any method and any target,
   * and sets all fields of its answers.
   */
  readonly takesAll?: boolean;
}

export interface ErrorForm {
  readonly covers: (path: string) => boolean;
  /** The methods that a path takes; none where there is nothing. */
  readonly methodsOf: (path: string) => readonly string[];
  readonly send: (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply;
  /** For bytes that are no request yet. */
  readonly render: (problem: Problem, path: string, requestId: string) => ProtocolAnswer;
}

/** An answer to bytes that are no request. */
export interface ProtocolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
