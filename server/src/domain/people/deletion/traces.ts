import { personById } from "#domain/accounts/index.ts";
import { eraseFromAudit } from "#domain/audit/index.ts";
import { allOrganizations } from "#domain/organizations/index.ts";
import { erasePersonRows } from "#domain/telemetry/index.ts";
import type { Job, JobHandler, NewJob } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { deletePerson, type About, type DeletionDeps } from "./delete-person.ts";
import { deletedPeople, deletedPerson, setErased, type DeletedPerson } from "./store.ts";

/** The job that erases what remains of a deleted person outside of the account. */
const ERASE_PERSON = "person.erase";
const RETRY_MS = 60_000;
/** Each attempt writes the whole file of the records again. */
const RETRY_MS_MAX = 6 * 3_600_000;

export interface TracesDeps extends DeletionDeps {
  /** Writes the list of deletions beside the data. */
  readonly note: () => Promise<void>;
  /** Deletes caches in files. */
  readonly forgetCaches: () => Promise<void>;
}

export function erasureJob(userId: string, nowMs: number): NewJob {
  return { kind: ERASE_PERSON, key: userId, group: ERASE_PERSON, dueAtMs: nowMs };
}

export function erasureHandler(deps: TracesDeps): JobHandler {
  return {
    kind: ERASE_PERSON,
    concurrency: 1,
    concurrencyPerGroup: 1,
    run: async (job: Pick<Job, "key" | "signal">) => {
      await eraseTraces(deps, [job.key], job.signal);
      return { dueAtMs: null };
    },
    retryMs: (attempts) => Math.min(RETRY_MS * 2 ** attempts, RETRY_MS_MAX),
  };
}

/**
 * Erases the parts of deleted people in every audit log, and then the bytes of deleted rows in the file of the records,
 * which is written again once for all of them. Each step can be repeated.
 */
export async function eraseTraces(deps: TracesDeps, userIds: readonly string[], signal?: AbortSignal): Promise<void> {
  const { metadata, clock } = deps;
  const all = await Promise.all(userIds.map((id) => deletedPerson(metadata.read, id)));
  const rows = all.filter((row) => row !== undefined);
  if (rows.length === 0) return;
  await deps.note();
  for (const row of rows)
    if (row.erased_at === null) {
      await eraseEntries(deps, row, signal);
      const { orgIds = [] } = JSON.parse(row.about) as Partial<About>;
      await erasePersonRows(deps, { userId: row.id, orgIds });
    }
  await deps.forgetCaches();
  await metadata.compact();
  await metadata.write(async (tx) => {
    for (const { id } of rows) await setErased(tx, id, clock.nowMs());
  });
}

async function eraseEntries(
  deps: TracesDeps,
  { id: userId, about }: DeletedPerson,
  signal?: AbortSignal,
): Promise<void> {
  const { targets = [], instanceSeqs = [] } = JSON.parse(about) as Partial<About>;
  const person = { userId, targets, instanceSeqs };
  await eraseFromAudit(deps, null, person, signal);
  for await (const { id } of allOrganizations(deps.metadata.read)) await eraseFromAudit(deps, id, person, signal);
}

/** Adds the jobs of deletions that are not finished. */
export async function continueErasures(
  deps: DeletionDeps,
  put: (tx: Writer, job: NewJob) => Promise<void>,
): Promise<void> {
  for await (const open of deletedPeople(deps.metadata.read, "open"))
    await deps.metadata.write(async (tx) => {
      for (const { id } of open) await put(tx, erasureJob(id, deps.clock.nowMs()));
    });
}

/** A deletion of the list beside the data. */
export interface ListedDeletion {
  readonly kind: "person";
  readonly id: string;
  readonly deletedAtMs: number;
}

/** Returns every deleted person. */
export async function* allDeletions({
  metadata,
}: {
  readonly metadata: Pick<MetadataStore, "read">;
}): AsyncGenerator<ListedDeletion> {
  for await (const rows of deletedPeople(metadata.read, "all"))
    for (const { id, deleted_at: deletedAtMs } of rows) yield { kind: "person", id, deletedAtMs };
}

/**
 * Deletes the people of a list again, because records of an older backup have them. Returns the ids of those that the
 * records had.
 */
export async function deleteAgain(deps: DeletionDeps, deletions: Iterable<ListedDeletion>): Promise<string[]> {
  const again: string[] = [];
  for (const { id: userId } of deletions) {
    if ((await personById(deps.metadata.read, userId)) === undefined) continue;
    const deletion = {
      userId,
      actor: { kind: "system", id: null },
      origin: { ip: null, requestId: null },
      again: true,
    } as const;
    await deletePerson(deps, deletion);
    again.push(userId);
  }
  return again;
}
