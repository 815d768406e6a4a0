import { statfs } from "node:fs/promises";
import { OrganizationTotals } from "#domain/quotas/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";

const GIB = 1024 ** 3;
const FLOOR_SHARE = 0.03;
/** The most of a small disk that stays free. */
const FLOOR_SHARE_MAX = 0.1;

type Floor = Pick<Config, "data_dir" | "disk_floor_bytes" | "objects_s3_bucket">;

/** Returns a function that reads the bytes that granted uploads may take. An S3 store has no limit that is known here. */
export function freeBytesOf({ data_dir: dir, disk_floor_bytes: floor, objects_s3_bucket: upstream }: Floor) {
  return async (): Promise<number> => {
    if (upstream !== null) return Number.POSITIVE_INFINITY;
    const { bavail, blocks, bsize } = await statfs(dir);
    return Math.max(0, bavail * bsize - (floor ?? floorOf(blocks * bsize)));
  };
}

/** Returns the bytes that stay free for records and telemetry. */
function floorOf(diskBytes: number): number {
  return Math.min(Math.max(2 * GIB, diskBytes * FLOOR_SHARE), diskBytes * FLOOR_SHARE_MAX);
}

type Share = Pick<Config, "data_dir" | "organization_stored_bytes_max">;

/** Returns a function that reads the bytes that one of several organizations may store. */
function organizationBytesOf({ data_dir: dir, organization_stored_bytes_max: max }: Share) {
  return async (): Promise<number> => {
    if (max !== null) return max;
    const { blocks, bsize } = await statfs(dir);
    return Math.floor((blocks * bsize) / 2);
  };
}

interface TotalParts {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly phases: Phases;
  readonly log: { warn(fields: object, message: string): void };
}

/** Limits the bytes of each organization. Returns the same store, which also refuses telemetry beyond the limit. */
export function limitTotals(config: Share, parts: TotalParts, store: TelemetryStore): TelemetryStore {
  const measured = new OrganizationTotals({ ...parts, bytesMax: organizationBytesOf(config) });
  const totals = parts.phases.started("organization totals", measured, (part) => part.stop());
  return {
    ...store,
    admit: (orgId) => {
      totals.require(orgId);
      store.admit(orgId);
    },
  };
}
