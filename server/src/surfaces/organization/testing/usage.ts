import { trustedClock } from "#kernel/testing.ts";
import { openTelemetry } from "#stores/telemetry/index.ts";
import type { WorldOptions } from "./world.ts";
import { createUsageSurface } from "../index.ts";
import { Schedule } from "#stores/jobs/index.ts";

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Returns options for the world of the organization API, with this surface over a real telemetry store. */
export function withUsage(): WorldOptions {
  return {
    surfaces: async ({ host, metadata, clock, identity, dataDir, onClose }) => {
      const settings = {
        compactionRowsBytes: 2 ** 24,
        compactionIntervalMs: 60_000,
        queryConcurrency: 1,
        queryConcurrencyOrganization: 1,
        retention: { checkEveryMs: 0, storedBytesMax: 400 },
      };
      const telemetry = await openTelemetry({
        schedule: new Schedule(clock),
        dataDir,
        metadata,
        clock: trustedClock(clock),
        log: SILENT,
        settings,
      });
      onClose(() => telemetry.close());
      const limits = {
        filesBytesMax: 100,
        bucketsBytesMax: 200,
        imagesBytesMax: 300,
        webhooksBytesMax: null,
        rate: { perSecond: 7, burst: 9 },
      };
      return [createUsageSurface({ host, metadata, clock, identity, telemetry, limits })];
    },
  };
}
