import { trustedClock } from "#kernel/testing.ts";
import { createHmac } from "node:crypto";
import { openTelemetry, type TelemetryStore, type TelemetryStoreSettings } from "#stores/telemetry/index.ts";
import type { World, WorldOptions } from "../../organization/testing/world.ts";
import { createTelemetrySettingsSurface } from "../index.ts";
import { Schedule } from "#stores/jobs/index.ts";

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const GRACE = { retentionGraceMs: 168 * 3_600_000, retentionDeleteMs: 24 * 3_600_000 };

const stores = new WeakMap<object, TelemetryStore>();

/** Stores a row of logs with this message. */
export async function storeLog({ metadata }: Pick<World, "metadata">, orgId: string, message: string): Promise<void> {
  const rows = Buffer.from(`${JSON.stringify({ timestamp: "2026-11-20T08:00:00.000000Z", message })}\n`);
  await stores.get(metadata)?.append({ orgId, type: "logs", rows, count: 1 });
}

/** Returns options for the world of the organization API, with this surface over a real telemetry store. */
export function withTelemetry(retention: NonNullable<TelemetryStoreSettings["retention"]> = {}): WorldOptions {
  return {
    surfaces: async ({ host, identity, metadata, clock, dataDir, onClose }) => {
      const settings = {
        compactionRowsBytes: 2 ** 24,
        compactionIntervalMs: 60_000,
        queryConcurrency: 1,
        queryConcurrencyOrganization: 1,
        retention: { checkEveryMs: 0, ...retention },
      };
      const store = await openTelemetry({
        schedule: new Schedule(clock),
        dataDir,
        metadata,
        clock: trustedClock(clock),
        log: SILENT,
        settings,
      });
      stores.set(metadata, store);
      onClose(() => store.close());
      const digest = (text: string): string => createHmac("sha256", "test").update(text).digest("hex");
      const retentionDaysMax = retention.daysMax ?? null;
      const backupsSince = (): Promise<[]> => Promise.resolve([]);
      const { feed } = identity;
      return [
        createTelemetrySettingsSurface({
          host,
          metadata,
          clock,
          store,
          feed,
          retentionDaysMax,
          digest,
          backupsSince,
          ...GRACE,
        }),
      ];
    },
  };
}
