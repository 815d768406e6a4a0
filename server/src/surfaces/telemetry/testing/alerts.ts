import { evaluationHandler } from "#domain/alerts/index.ts";
import { messageHandler } from "#domain/delivery/index.ts";
import { newId } from "#kernel/ids.ts";
import { systemClock } from "#kernel/time.ts";
import { Schedule, createJobs } from "#stores/jobs/index.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import { boundToken, fresh, pair } from "../../organization/testing/requests.ts";
import type { Ask, Pair } from "../../organization/testing/suite.ts";
import type { Answer, Tenant, World, WorldOptions } from "../../organization/testing/world.ts";
import { newSavedQuery, save, storeOf, WITH_QUERIES } from "../../query/testing/saved.ts";
import { createAlertsSurface } from "../index.ts";

/** Helpers for tests of alerts: the world of saved queries with this surface, and requests. */

/** `running`: alerts are evaluated and messages sent. Otherwise alerts stay as the test created them. */
export function withAlerts({ running }: { readonly running: boolean }): WorldOptions {
  return {
    surfaces: async (deps) => {
      const { host, metadata, identity, onClose } = deps;
      const clock = systemClock;
      const { envelope } = identity;
      const jobs = createJobs({
        schedule: new Schedule(clock),
        metadata,
        clock,
        log: { warn: () => undefined },
        pollMs: 50,
      });
      const outbound = createOutbound({ privateAddresses: running, clock, userAgent: "Test" });
      const shared = { metadata, clock, jobs };
      const queries = (await WITH_QUERIES.surfaces?.(deps)) ?? [];
      const telemetry = storeOf(metadata);
      const evaluating = evaluationHandler({ ...shared, telemetry });
      const delivering = messageHandler({ ...shared, envelope, outbound, random: Math.random }, "alert");
      if (running) jobs.start([evaluating, delivering]);
      onClose(() => jobs.stop());
      return [...queries, createAlertsSurface({ host, ...shared, outbound, envelope })];
    },
  };
}

export const WITH_ALERTS: WorldOptions = { ...withAlerts({ running: false }), isShared: true };

export const PATH = "/v1/alerts";

/** Returns the body of an alert on a new query. */
export async function alertBody(
  world: World,
  change: Readonly<Record<string, unknown>> = {},
  tenant: Tenant = world.acme,
): Promise<Record<string, unknown>> {
  const query_id = change["query_id"] ?? (await newSavedQuery(world, {}, tenant));
  const condition = { operator: ">", threshold: 0 };
  return { name: fresh("alert"), url: "https://receiver.example/hook", every_s: 60, condition, ...change, query_id };
}

export async function make(world: World, body: Record<string, unknown>, token: string): Promise<Answer> {
  const answer = await world.call("POST", PATH, { token, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer;
}

/** Creates an alert. Returns its ID. */
export async function newAlert(
  world: World,
  change: Readonly<Record<string, unknown>> = {},
  tenant: Tenant = world.acme,
): Promise<string> {
  const made = await make(world, await alertBody(world, change, tenant), await world.token({ tenant }));
  return String(made.json["id"]);
}

/**
 * Returns hidden alerts: one of another organization, one of a private project, and for a credential of a project one
 * of the organization.
 */
export async function alertPairs(world: World, askOf: (id: string) => Ask): Promise<Pair[]> {
  const inside = await world.token({ projectId: world.acme.closed.id });
  const query = await save(world, { project: world.acme.closed.id }, inside);
  const closed = await make(world, await alertBody(world, { query_id: query.json["id"] }), inside);
  const bound = await boundToken(world);
  const absent = newId("alert", 1);
  return [
    pair(await newAlert(world, {}, world.rival), askOf, absent),
    pair(String(closed.json["id"]), askOf, absent),
    pair(await newAlert(world), (id) => ({ ...askOf(id), token: bound }), absent),
  ];
}
