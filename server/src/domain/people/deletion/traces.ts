import { personById } from "#domain/accounts/index.ts";
import { eraseFromAudit } from "#domain/audit/index.ts";
import type { Job, JobHandler, NewJob } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { deletePerson, type About, type DeletionDeps } from "./delete-person.ts";
import { deletedPeople, deletedPerson, organizationIds, setErased } from "./store.ts";

/** The job that erases what remains of a deleted person outside of the account. */
export const ERASE_PERSON = "person.erase";
const PAGE = 200;
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
      await eraseTraces(deps, job.key, job.signal);
      return { dueAtMs: null };
    },
    retryMs: (attempts) => Math.min(RETRY_MS * 2 ** attempts, RETRY_MS_MAX),
  };
}

/**
 * Erases the parts of a deleted person in every audit log, and the bytes of deleted rows in the file of the records.
 * Each step can be repeated.
 */
export async function eraseTraces(deps: TracesDeps, userId: string, signal?: AbortSignal): Promise<void> {
  const { metadata, clock } = deps;
  const row = await deletedPerson(metadata.read, userId);
  if (row === undefined) return;
  await deps.note();
  if (row.erased_at === null) {
    const { targets = [], instanceSeqs = [] } = JSON.parse(row.about) as Partial<About>;
    const person = { userId, targets, instanceSeqs };
    await eraseFromAudit(deps, null, person, signal);
    for (let after = ""; ;) {
      const ids = await organizationIds(metadata.read, after, PAGE);
      for (const id of ids) await eraseFromAudit(deps, id, person, signal);
      after = ids.at(-1) ?? "";
      if (ids.length < PAGE) break;
    }
  }
  await deps.forgetCaches();
  await metadata.compact();
  await metadata.write((tx) => setErased(tx, userId, clock.nowMs()));
}

/** Adds the jobs of deletions that are not finished. */
export async function continueErasures(
  deps: DeletionDeps,
  put: (tx: Writer, job: NewJob) => Promise<void>,
): Promise<void> {
  for (let after = ""; ;) {
    const rows = await deletedPeople(deps.metadata.read, after, PAGE);
    const open = rows.filter((row) => row.erased_at === null);
    await deps.metadata.write(async (tx) => {
      for (const { id } of open) await put(tx, erasureJob(id, deps.clock.nowMs()));
    });
    after = rows.at(-1)?.id ?? "";
    if (rows.length < PAGE) return;
  }
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
  for (let after = ""; ;) {
    const rows = await deletedPeople(metadata.read, after, PAGE);
    for (const { id, deleted_at: deletedAtMs } of rows) yield { kind: "person", id, deletedAtMs };
    after = rows.at(-1)?.id ?? "";
    if (rows.length < PAGE) return;
  }
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
