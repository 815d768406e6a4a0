import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, type Caller, type Project } from "#domain/organizations/index.ts";
import { addUsage } from "#domain/quotas/index.ts";
import { organizationsWithout } from "#domain/suspension/index.ts";
import { earlier, type Cutoff, type GuardedClock } from "#kernel/deletions.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Job, JobHandler, Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import {
  deleteEvents,
  deleteRejections,
  deleteWebhookRows,
  eventsByIds,
  oldEvents,
  projectDays,
  setProjectDays,
  webhooksToTidy,
  type OldEvent,
} from "./tidy-store.ts";
import type { EventsDeps, WebhooksDeps } from "./types.ts";

/** The job that deletes events past their retention, and rows of deleted webhooks. One node runs it at a time. */
export const TIDY = "webhook.tidy";
const TIDY_KEY = "all";

const DAY_MS = 86_400_000;
const EVERY_MS = 10 * 60 * 1000;
const RETRY_MS = 60_000;
const PAGE_WEBHOOKS = 100;
/** The number of events that one transaction deletes. It is small, because other writers wait for the transaction. */
const PAGE_EVENTS = 500;

type Deps = Pick<EventsDeps, "metadata" | "objects"> & {
  readonly clock: GuardedClock;
  readonly retentionDays: number;
};

export function tidyHandler(deps: Deps): JobHandler {
  return {
    kind: TIDY,
    everyMs: EVERY_MS,
    concurrency: 1,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * EVERY_MS,
    run: async (job) => {
      await tidy(deps, job);
      return { dueAtMs: deps.clock.nowMs() + EVERY_MS };
    },
    retryMs: () => RETRY_MS,
  };
}

/** Creates the job if there is none, and makes it due at once. */
export async function startTidying(metadata: MetadataStore, jobs: Jobs, nowMs: number): Promise<void> {
  await metadata.write((tx) => jobs.put(tx, { kind: TIDY, key: TIDY_KEY, group: TIDY, dueAtMs: nowMs }));
}

async function tidy(deps: Deps, job: Pick<Job, "signal">): Promise<void> {
  const { clock } = deps;
  const rejectionsMs = clock.deletionTime("webhook_rejections");
  if (rejectionsMs !== null) await deps.metadata.write((tx) => deleteRejections(tx, earlier(rejectionsMs, DAY_MS)));
  const nowMs = clock.deletionTime("webhook_events");
  const remainsMs = clock.deletionTime("webhook_remains");
  // The data of a blocked organization stays.
  const kept = await organizationsWithout(deps.metadata.read, "retain");
  let after = "";
  for (;;) {
    const webhooks = await webhooksToTidy(deps.metadata.read, after, PAGE_WEBHOOKS);
    for (const { id, org_id: orgId, deleted_at: deletedAt, days } of webhooks) {
      if (kept.has(orgId)) continue;
      const pastMs = nowMs === null ? null : earlier(nowMs, (days ?? deps.retentionDays) * DAY_MS);
      const beforeMs = deletedAt === null ? pastMs : "all";
      if (beforeMs !== null) await purge(deps, { id, orgId, beforeMs }, job.signal);
      // By now, all requests that began before the deletion have ended.
      if (deletedAt !== null && remainsMs !== null && remainsMs - deletedAt > EVERY_MS)
        await deps.metadata.write((tx) => deleteWebhookRows(tx, id));
    }
    const last = webhooks.at(-1);
    if (last === undefined || webhooks.length < PAGE_WEBHOOKS) return;
    after = last.id;
  }
}

/** Deletes a webhook with its events at once, in steps that can be repeated. */
export async function eraseWebhook(
  deps: Pick<Deps, "metadata" | "objects">,
  webhook: { readonly id: string; readonly orgId: string },
  signal: AbortSignal,
): Promise<void> {
  await purge(deps, { ...webhook, beforeMs: "all" }, signal);
  await deps.metadata.write((tx) => deleteWebhookRows(tx, webhook.id));
}

async function purge(
  deps: Pick<Deps, "metadata" | "objects">,
  { id, orgId, beforeMs }: { readonly id: string; readonly orgId: string; readonly beforeMs: Cutoff | "all" },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const old = await oldEvents(deps.metadata.read, id, beforeMs, PAGE_EVENTS);
    if (old.length === 0) return;
    await deps.metadata.write((tx) => removeEvents(deps, tx, { id, orgId }, old));
    if (old.length < PAGE_EVENTS) return;
  }
}

/** Deletes events of a webhook with their bodies. Returns the number of events that still existed. */
async function removeEvents(
  { objects }: Pick<Deps, "objects">,
  tx: Writer,
  { id, orgId }: { readonly id: string; readonly orgId: string },
  events: readonly OldEvent[],
): Promise<number> {
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
  const seqs = events.map(({ seq }) => seq);
  const { blobIds, count } = await deleteEvents(tx, id, seqs);
  if (count === 0) return 0;
  if (blobIds.length > 0) await objects.unlink(tx, orgId, blobIds);
  addUsage(tx, "events", { org_id: orgId, webhook_id: id }, { events: -count, bytes: -bytes, purged: count });
  return count;
}

/** Erases events of an organization by their ids. `count` gets their number in the transaction that deletes them. */
export async function eraseEvents(
  { metadata, objects }: Pick<Deps, "metadata"> & { readonly objects: () => Deps["objects"] | undefined },
  orgId: string,
  ids: readonly string[],
  count: (tx: Writer, rows: number) => Promise<void>,
): Promise<void> {
  const store = objects();
  if (store === undefined) throw new Error("cannot erase events before the store of objects is open");
  const byWebhook = Map.groupBy(await eventsByIds(metadata.read, orgId, ids), (event) => event.webhookId);
  for (const [id, events] of byWebhook)
    await metadata.write(async (tx) => {
      const removed = await removeEvents({ objects: store }, tx, { id, orgId }, events);
      if (removed > 0) await count(tx, removed);
    });
}

/** Returns the days that events of a project's webhooks are kept; null: the server's default. */
export async function retentionOfProject(
  deps: Pick<WebhooksDeps, "metadata">,
  project: Pick<Project, "id" | "org_id">,
): Promise<number | null> {
  return projectDays(deps.metadata.read, project.org_id, project.id);
}

/** @throws Problem `concurrent_update` */
export async function setRetentionOfProject(
  deps: WebhooksDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  { days, ifMatch }: { readonly days: number | null; readonly ifMatch?: string | undefined },
): Promise<void> {
  const versionIn = async (db: Reader): Promise<object> => ({
    days: await projectDays(db, project.org_id, project.id),
  });
  const expected = await expectedOf(ifMatch, () => versionIn(deps.metadata.read));
  await deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `webhook:${project.org_id}`);
    requireMatch(expected, await versionIn(tx));
    const place = { orgId: project.org_id, projectId: project.id };
    await setProjectDays(tx, { ...place, days, atMs: deps.clock.nowMs() });
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: project.org_id,
      action: "webhook.settings.update",
      target: { kind: "project", id: project.id },
      detail: { retention_days: days },
    });
  });
}
