import type { FastifyInstance } from "fastify";

/**
 * One interface of the product. `mount` is called once, inside an encapsulated Fastify context of the surface's own, so
 * its content-type parsers and error renderer stay with it.
 */
export interface Surface {
  readonly name: string;
  mount(app: FastifyInstance): void | Promise<void>;
}
