import { appendAudit } from "#domain/audit/index.ts";
import { appendAuthChange } from "#domain/identity/index.ts";
import { organizationById, type Organization } from "#domain/organizations/index.ts";
import { CONTENT_OWNER } from "#domain/registry/index.ts";
import { isBeingErased, markErasing } from "#domain/suspension/index.ts";
import { dropOrganizationRows } from "#domain/telemetry/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Job, JobHandler, NewJob } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import { ERASE_ORGANIZATION, type OrganizationDeletionDeps } from "./deletion.ts";
import { deleteJobs, deleteOrganizationRow, deleteSome, deletingOrganizations, hasRows } from "./store.ts";
import { ACCESS, CONTENTS, RECORDS, type TableOfOrganization } from "./tables.ts";

const SOON_MS = 1000;
const LATER_MS = 60_000;
const RETRY_MS_MAX = 3_600_000;

export interface EraseDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly feed: OrganizationDeletionDeps["feed"];
  readonly objects: Pick<ObjectStore, "direct" | "forgetOrganization" | "unlink">;
  /** Starts erasures of telemetry at once. */
  readonly refreshTelemetry: () => Promise<void>;
  /** Deletes the cached files of records. */
  readonly forgetCaches: () => Promise<void>;
}

/** The job that deletes everything in an organization after its grace period. A killed run continues where it was. */
export function eraseHandler(deps: EraseDeps): JobHandler {
  return {
    kind: ERASE_ORGANIZATION,
    concurrency: 1,
    concurrencyPerGroup: 1,
    run: async (job) => ({ dueAtMs: await runErasure(deps, job) }),
    retryMs: (attempts) => Math.min(LATER_MS * 2 ** attempts, RETRY_MS_MAX),
  };
}

/** Adds the jobs of deletions that are not finished, for example after a restore. */
export async function continueDeletions(
  { metadata }: Pick<EraseDeps, "metadata">,
  put: (tx: Writer, job: NewJob) => Promise<void>,
): Promise<void> {
  const open = await deletingOrganizations(metadata.read);
  if (open.length === 0) return;
  await metadata.write(async (tx) => {
    for (const { id: key, deletes_at: dueAtMs } of open)
      await put(tx, { kind: ERASE_ORGANIZATION, key, group: ERASE_ORGANIZATION, dueAtMs });
  });
}

/** Returns when the job is due again. Null: the organization is deleted, or was kept. */
async function runErasure(deps: EraseDeps, job: Pick<Job, "key" | "signal">): Promise<number | null> {
  const { clock } = deps;
  const organization = await begin(deps, job.key);
  if (organization === "kept") return null;
  if (organization === "waits") return clock.nowMs() + LATER_MS;
  if (!(await eraseAll(deps, organization.id, job.signal))) return clock.nowMs() + SOON_MS;
  await finish(deps, organization);
  return null;
}

/** Marks the organization, so that nobody can keep it from now on. */
async function begin(deps: EraseDeps, orgId: string): Promise<Organization | "kept" | "waits"> {
  const { metadata, clock } = deps;
  return metadata.write(async (tx) => {
    await metadata.lock(tx, `organization:${orgId}`);
    const organization = await organizationById(tx, orgId);
    if (organization === undefined || organization.deletes_at === null) return "kept";
    if (isBeingErased(organization)) return organization;
    const nowMs = clock.deletionTime("organizations");
    if (nowMs === null || organization.deletes_at > nowMs) return "waits";
    await markErasing(tx, orgId);
    return organization;
  });
}

/** Every step can be repeated. Returns false if one waits for work that another part does. */
async function eraseAll(deps: EraseDeps, orgId: string, signal: AbortSignal): Promise<boolean> {
  await eraseTables(deps, ACCESS, orgId, signal);
  if (!(await eraseTelemetry(deps, orgId))) return false;
  for await (const arrival of deps.objects.direct?.arrivals(orgId) ?? []) await deps.objects.direct?.forget(arrival);
  await eraseTables(deps, CONTENTS, orgId, signal);
  if ((await deps.objects.forgetOrganization(orgId)) > 0) return false;
  await eraseTables(deps, RECORDS, orgId, signal);
  await deps.forgetCaches();
  return true;
}

async function eraseTelemetry(deps: EraseDeps, orgId: string): Promise<boolean> {
  if (await dropOrganizationRows(deps, orgId)) return true;
  await deps.refreshTelemetry();
  return false;
}

async function eraseTables(
  deps: EraseDeps,
  tables: readonly TableOfOrganization[],
  orgId: string,
  signal: AbortSignal,
): Promise<void> {
  // Read before the write: a deletion that waits for telemetry comes by every second, and then there are none.
  for (const table of tables)
    while (await hasRows(deps.metadata.read, table, orgId)) {
      signal.throwIfAborted();
      await deps.metadata.write((tx) => eraseSome(deps, tx, table, orgId));
    }
}

async function eraseSome(deps: EraseDeps, tx: Writer, table: TableOfOrganization, orgId: string): Promise<void> {
  const { blobs } = await deleteSome(tx, table, orgId);
  const owner = table.content === "registry" ? CONTENT_OWNER : orgId;
  if (blobs.length > 0) await deps.objects.unlink(tx, owner, blobs);
}

async function finish(deps: EraseDeps, { id, slug }: Organization): Promise<void> {
  const { metadata, clock } = deps;
  const seq = await metadata.write(async (tx) => {
    await metadata.lock(tx, "organizations");
    await deleteJobs(tx, id);
    await deleteOrganizationRow(tx, { id, slug }, clock.nowMs());
    await appendAudit(deps, tx, {
      orgId: null,
      actor: { kind: "system", id: null },
      action: "organization.erase",
      target: { kind: "organization", id },
      result: "success",
      ip: null,
      requestId: null,
      detail: { slug },
    });
    return appendAuthChange(deps, tx, { kind: "organization", subject: id });
  });
  await deps.feed.sync();
  await deps.feed.propagate(seq);
}
