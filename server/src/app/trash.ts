import { forwardAgain } from "#domain/delivery/index.ts";
import { eraseFiles } from "#domain/files/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import { appTrash, projectTrash, type AppTrashDeps, type ProjectTrashDeps } from "#domain/organizations/index.ts";
import { eraseContents, imageTrash } from "#domain/registry/index.ts";
import type { S3 } from "#domain/s3/index.ts";
import { eraseProjectRows, rowsErased } from "#domain/telemetry/index.ts";
import { endSoon, endTrashHandler, type TrashKinds, type TrashWork } from "#domain/trash/index.ts";
import { eraseWebhook, webhookTrash } from "#domain/webhooks/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { RegistryPart } from "./registry.ts";
import type { Webhooks } from "./webhooks.ts";

export interface Trash {
  readonly work: TrashWork;
  /** Starts to end due items. */
  start(): void;
}

export interface TrashParts {
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly clock: GuardedClock;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly jobs: Jobs;
  readonly identity: Identity;
  readonly registry: RegistryPart;
  readonly webhooks: Webhooks;
  readonly s3: S3;
}

export function createTrash(parts: TrashParts): Trash {
  const { log, clock, metadata, jobs } = parts;
  const kinds = kindsOf(parts);
  return {
    work: { metadata, clock, kinds, jobs },
    start: () => {
      jobs.start([endTrashHandler({ metadata, clock, kinds, log })]);
      metadata
        .write((tx) => endSoon(jobs, tx, clock.nowMs()))
        .catch((error: unknown) => log.warn({ err: error }, "cannot start to end items of the trash"));
    },
  };
}

/** The table of the kinds. */
function kindsOf(parts: TrashParts): TrashKinds {
  const { clock, metadata, objects, jobs, identity, registry, webhooks, s3 } = parts;
  const images = imageTrash(registry.deps);
  const apps: AppTrashDeps = {
    metadata,
    clock,
    images,
    eraseContent: async (app, signal) => {
      await eraseContents(registry.deps, app, signal);
      return s3.trash.erase(app, signal);
    },
    resume: (tx, app) => s3.trash.resume(tx, app),
  };
  const again: ProjectTrashDeps["forwardAgain"] = (tx, id) => forwardAgain({ clock, jobs }, tx, id);
  const digest = (text: string): string => identity.envelope.lookupHash("telemetry-erasure", text).hash.toString("hex");
  return {
    webhook: webhookTrash({ metadata, clock, forwardAgain: again, forget: () => webhooks.deps.receiver.forget() }),
    image: images,
    repository: images,
    app: appTrash(apps),
    project: projectTrash({
      ...apps,
      eraseWebhook: (webhook, signal) => eraseWebhook({ metadata, objects }, webhook, signal),
      eraseFiles: (project, signal) => eraseFiles({ metadata, objects, clock }, project, signal),
      eraseTelemetry: (tx, project) => eraseProjectRows({ clock, digest }, tx, project),
      telemetryErased: (orgId, id) => rowsErased({ metadata }, orgId, id),
      forwardAgain: again,
      settled: () => identity.feed.sync().catch(() => undefined),
    }),
  };
}
