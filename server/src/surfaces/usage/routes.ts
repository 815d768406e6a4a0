import type { FastifyInstance } from "fastify";
import { USAGE_ROUTES as rows } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { UsageSurfaceDeps } from "./deps.ts";
import { getUsage } from "./operations/get-usage.ts";

/** Row → operation. Method, path and permission stand in the contract's row. */
export function mountUsage(app: FastifyInstance, deps: UsageSurfaceDeps): void {
  mountRoute(app, deps.host, rows.getUsage, getUsage(deps));
}
