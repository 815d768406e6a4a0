import type { Identity } from "#domain/identity/index.ts";
import { measureUsageHandler, scheduleUsage } from "#domain/usage/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";

interface UsageParts {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: { warn(fields: object, message: string): void };
  readonly jobs: Jobs;
  readonly identity: Pick<Identity, "activity">;
  readonly telemetry: Pick<TelemetryStore, "queries">;
}

/** Counts the bytes that queries read, and measures stored bytes. Requests are counted when they are answered. */
export function createUsage(parts: UsageParts): { start(): Promise<void> } {
  const { identity, telemetry, jobs } = parts;
  telemetry.queries.onEnd(({ orgId, origin, bytesRead: bytes }) => {
    if (bytes === 0) return;
    const { actor, surface, projectId = null } = origin;
    const credentialId = actor.kind === "credential" ? actor.id : "";
    identity.activity.countScan({
      orgId,
      projectId,
      credentialId,
      service: surface === "alert" ? "alerts" : "query",
      bytes,
    });
  });
  return {
    start: async () => {
      jobs.start([measureUsageHandler(parts)]);
      await scheduleUsage(parts);
    },
  };
}
