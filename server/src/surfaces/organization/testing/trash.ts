import { appTrash, projectTrash } from "#domain/organizations/index.ts";
import { imageTrash } from "#domain/registry/index.ts";
import type { TrashKindRules, TrashSettings, TrashWork } from "#domain/trash/index.ts";
import type { Clock } from "#kernel/time.ts";
import { createJobs, Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

export const TRASH: TrashSettings = { days: 7 };

/**
 * The trash of a world, which restores apps and projects. The world has no stores of content, so nothing ends here;
 * `tests/acceptance/trash.full.ts` drives the whole server.
 */
export function trashOf(metadata: MetadataStore, clock: Clock): TrashWork & TrashSettings {
  const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };
  const absent = (): Promise<never> => Promise.reject(new Error("this world can't end an item of the trash"));
  const other: TrashKindRules = { lock: "organization", restore: absent, end: absent };
  const resume = (): Promise<void> => Promise.resolve();
  const settings = { blobBytesMax: 1, storedBytesMax: null, uploadLifetimeMs: 1, leaseMs: 1 };
  const images = imageTrash({ metadata, clock, settings, objects: { unlink: absent } });
  const apps = { metadata, clock, eraseContent: absent, resume, images };
  return {
    ...TRASH,
    metadata,
    clock,
    jobs: createJobs({ metadata, clock, log, schedule: new Schedule(clock) }),
    kinds: {
      webhook: other,
      image: images,
      repository: images,
      app: appTrash(apps),
      project: projectTrash({
        ...apps,
        eraseWebhook: absent,
        eraseFiles: absent,
        eraseTelemetry: absent,
        telemetryErased: absent,
        forwardAgain: resume,
        settled: resume,
      }),
    },
  };
}
