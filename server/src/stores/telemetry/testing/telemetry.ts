import { trustedClock } from "#kernel/testing.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { openTelemetry } from "../index.ts";
import type { TelemetryStore } from "../types.ts";
import { Schedule } from "#stores/jobs/index.ts";

/** The metadata and telemetry stores in a new directory, for the tests of a surface. */
export interface TestTelemetry {
  readonly metadata: MetadataStore;
  readonly store: TelemetryStore;
  /** Closes them and removes the directory. */
  close(): Promise<void>;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export async function openTestTelemetry(): Promise<TestTelemetry> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-surface-"));
  const metadata = await openTestMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) });
  const settings = {
    compactionRowsBytes: 2 ** 24,
    compactionIntervalMs: 60_000,
    queryConcurrency: 2,
    queryConcurrencyOrganization: 2,
  };
  const store = await openTelemetry({
    schedule: new Schedule(systemClock),
    dataDir,
    metadata,
    clock: trustedClock(systemClock),
    log: SILENT,
    settings,
  });
  return {
    metadata,
    store,
    close: async () => {
      await store.close();
      await metadata.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
