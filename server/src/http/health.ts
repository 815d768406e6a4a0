import Type, { type Static } from "typebox";
import { route } from "@mooring/contract";
import { HEALTH_REASONS, healthReasonOf, type HealthReason } from "#kernel/store-health.ts";
import type { HttpHost } from "./host.ts";
import { mountRoute } from "./mount.ts";
import type { Surface } from "./surface.ts";

/** A part that must work for the server to answer requests. */
export interface HealthCheck {
  readonly name: string;
  /** Returns why the part does not work, or null. It is quick: it tells what the last probe saw. */
  check(): HealthReason | null | Promise<HealthReason | null>;
}

const Live = Type.Object({ status: Type.Literal("ok") });
const Health = Type.Object({
  status: Type.Enum(["ok", "unavailable"]),
  checks: Type.Record(Type.String(), Type.Enum(["ok", "failed"])),
  reasons: Type.Record(Type.String(), Type.Enum([...HEALTH_REASONS]), {
    description: "Why checks failed, by their name.",
  }),
});

const publicReason = "load balancers and orchestrators send no credentials; the answer says nothing about the machine";
const common = { method: "GET", tag: "health", permission: "public", publicReason, status: 200, problems: [] } as const;

export const HEALTH_ROUTES = {
  health: route({
    ...common,
    operationId: "health",
    path: "/health",
    summary: "Show whether the service works",
    result: Health,
  }),
  ready: route({
    ...common,
    operationId: "ready",
    path: "/readyz",
    summary: "Show whether to send requests here",
    result: Health,
  }),
  live: route({
    ...common,
    operationId: "live",
    path: "/livez",
    summary: "Show whether the process runs",
    result: Live,
  }),
};

export interface HealthOptions {
  readonly host: HttpHost;
  readonly checks: readonly HealthCheck[];
  /** True as soon as a stop is requested. `/readyz` then answers 503, so that load balancers use other servers. */
  stopping(): boolean;
}

export function createHealthSurface(options: HealthOptions): Surface {
  return {
    name: "health",
    mount: (app) => {
      mountRoute(app, options.host, HEALTH_ROUTES.live, () => ({ status: "ok" as const }));
      mountRoute(app, options.host, HEALTH_ROUTES.health, async (_input, { reply }) => {
        const health = await inspect(options.checks);
        if (health.status !== "ok") void reply.code(503);
        return health;
      });
      mountRoute(app, options.host, HEALTH_ROUTES.ready, async (_input, { reply }) => {
        const health = await inspect(options.checks);
        const ready = health.status === "ok" && !options.stopping();
        if (!ready) void reply.code(503);
        return { ...health, status: ready ? ("ok" as const) : ("unavailable" as const) };
      });
    },
  };
}

async function inspect(checks: readonly HealthCheck[]): Promise<Static<typeof Health>> {
  const found = await Promise.all(
    checks.map(async (each) => [each.name, await Promise.resolve(each.check()).catch(healthReasonOf)] as const),
  );
  const failed = found.filter((each): each is [string, HealthReason] => each[1] !== null);
  return {
    status: failed.length === 0 ? "ok" : "unavailable",
    checks: Object.fromEntries(found.map(([name, reason]) => [name, reason === null ? "ok" : "failed"])),
    reasons: Object.fromEntries(failed),
  };
}
