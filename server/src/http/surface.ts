import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Problem } from "#kernel/problem.ts";

/**
 * One interface of the product. `mount` is called once, in a separate Fastify context, so its content-type parsers and
 * its error format apply to this surface only.
 */
export interface Surface {
  readonly name: string;
  mount(app: FastifyInstance): void | Promise<void>;
  /** The error format of the surface, if it has its own. It is also used before a route is found. */
  readonly errors?: ErrorForm;
  /**
   * The only surface of its listener, mounted at `/`. It gets every request unchanged, with any method and target, and
   * sets all header fields of its answers.
   */
  readonly takesAll?: boolean;
}

export interface ErrorForm {
  readonly covers: (path: string) => boolean;
  /** Returns the methods of a path; empty when there is no such path. */
  readonly methodsOf: (path: string) => readonly string[];
  readonly send: (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply;
  /** Renders the answer to bytes that are not a request. */
  readonly render: (problem: Problem, path: string, requestId: string) => ProtocolAnswer;
}

/** An answer to bytes that are not a request. */
export interface ProtocolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
