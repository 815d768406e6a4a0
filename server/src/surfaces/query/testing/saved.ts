import { trustedClock } from "#kernel/testing.ts";
import { auditRecords } from "#domain/audit/index.ts";
import { fileRecords } from "#domain/files/index.ts";
import { imageRecords } from "#domain/registry/index.ts";
import { objectRecords } from "#domain/s3/index.ts";
import { usageRecords } from "#domain/usage/index.ts";
import { eventRecords } from "#domain/webhooks/index.ts";
import { createProject, SYSTEM } from "#domain/organizations/index.ts";
import { newId } from "#kernel/ids.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTelemetry, type TelemetryStore } from "#stores/telemetry/index.ts";
import type { Ask, Pair } from "../../organization/testing/suite.ts";
import { boundToken, fresh, pair } from "../../organization/testing/requests.ts";
import type { Answer, Tenant, World, WorldOptions } from "../../organization/testing/world.ts";
import { createQuerySurface } from "../index.ts";
import { Schedule } from "#stores/jobs/index.ts";

/** Helpers for tests of saved queries: the world of organizations with this surface over a real store, and requests. */

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const LIMITS = { timeoutMs: 10_000, timeoutMsMax: 20_000, rowsMax: 1000, memoryBytesMax: 2 ** 28 };

const stores = new WeakMap<MetadataStore, TelemetryStore>();

/** Returns the telemetry store of a world. */
export function storeOf(metadata: MetadataStore): TelemetryStore {
  const store = stores.get(metadata);
  if (store === undefined) throw new Error("the world has no telemetry");
  return store;
}

/** Appends one log row of the caller's organization for each of these projects; null: no project. */
export async function appendLogs(world: World, projects: readonly (string | null)[]): Promise<void> {
  const row = { timestamp: "2026-11-20T08:00:00Z", level: "info" };
  const lines = projects.map((id) =>
    JSON.stringify({ ...row, message: id ?? "none", ...(id === null ? {} : { project_id: id }) }),
  );
  const rows = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  await storeOf(world.metadata).append({ orgId: world.acme.id, type: "logs", rows, count: projects.length });
}

export const WITH_QUERIES: WorldOptions = {
  isShared: true,
  surfaces: async ({ host, metadata, dataDir, onClose }) => {
    const settings = {
      compactionRowsBytes: 2 ** 24,
      compactionIntervalMs: 60_000,
      queryConcurrency: 2,
      queryConcurrencyOrganization: 2,
    };
    const records = {
      audit_log: auditRecords({ metadata }),
      webhook_events: eventRecords({ metadata }),
      images: imageRecords({ metadata }),
      files: fileRecords({ metadata }),
      objects: objectRecords({ metadata }),
      usage_daily: usageRecords({ metadata }),
    };
    const store = await openTelemetry({
      schedule: new Schedule(systemClock),
      dataDir,
      metadata,
      clock: trustedClock(systemClock),
      log: SILENT,
      settings,
      records,
    });
    onClose(() => store.close());
    stores.set(metadata, store);
    return [createQuerySurface({ host, metadata, store, nodeId: "node_1", limits: LIMITS })];
  },
};

/** Saves a query in the organization, or in a project that the body names. Returns its ID. */
export async function newSavedQuery(
  world: World,
  body: Readonly<Record<string, unknown>> = {},
  tenant: Tenant = world.acme,
): Promise<string> {
  const made = await save(world, body, await world.token({ tenant }));
  if (made.status !== 201) throw new Error(made.text);
  return String(made.json["id"]);
}

export function save(world: World, body: Readonly<Record<string, unknown>>, token: string): Promise<Answer> {
  return world.call("POST", "/v1/query/saved", {
    token,
    body: { name: fresh("query"), sql: "select 1 as one", ...body },
  });
}

/** Returns hidden queries: one of another organization, one of a private project, and for a credential of a project those outside. */
export async function savedQueryPairs(world: World, askOf: (id: string) => Ask): Promise<Pair[]> {
  const inside = await world.token({ projectId: world.acme.closed.id });
  const closed = await save(world, { project: world.acme.closed.id }, inside);
  const other = await createProject(
    { metadata: world.metadata, clock: trustedClock(systemClock) },
    SYSTEM,
    world.acme.id,
    {
      slug: fresh("elsewhere"),
    },
  );
  const bound = await boundToken(world);
  const absent = newId("query", 1);
  return [
    pair(await newSavedQuery(world, {}, world.rival), askOf, absent),
    pair(String(closed.json["id"]), askOf, absent),
    pair(await newSavedQuery(world), (id) => ({ ...askOf(id), token: bound }), absent),
    pair(await newSavedQuery(world, { project: other.id }), (id) => ({ ...askOf(id), token: bound }), absent),
  ];
}
