import { sql } from "kysely";
import { JOBS_COUNTED_MAX } from "#kernel/limits.ts";
import type { Clock } from "#kernel/time.ts";
import { jsonTable, prepared, type MetadataStore, type Tables, type Writer } from "#stores/metadata/index.ts";

export type JobRow = Tables["job"];

/** A job is parked after this many consecutive runs that started and never ended. */
export const CLAIMS_MAX = 5;

/** The columns of a new job. Its runs set the other columns. */
type FreshJob = Pick<JobRow, (typeof FRESH)[number]>;

const FRESH = ["id", "kind", "key", "group_key", "payload", "due_at", "created_at"] as const;

/** Adds jobs. A job of the same kind and key gets the new time and payload, and loses its lease. */
export async function upsertJobs(
  dialect: MetadataStore["dialect"],
  tx: Writer,
  jobs: readonly FreshJob[],
): Promise<void> {
  if (jobs.length > 0) await UPSERT_JOBS[dialect].execute(tx, JSON.stringify(jobs));
}

const UPSERT_JOBS = { sqlite: upsertIn("sqlite"), postgres: upsertIn("postgres") };

function upsertIn(dialect: MetadataStore["dialect"]) {
  const text = { id: "text", kind: "text", key: "text", group_key: "text", payload: "text" } as const;
  const fresh = sql.join(FRESH.map((name) => sql.ref(name)));
  return prepared(
    (_db, jobs: string) => sql`
    insert into job (${fresh}, fence, attempts, claims)
    select ${fresh}, 0, 0, 0 from ${jsonTable(dialect, { ...text, due_at: "integer", created_at: "integer" }, jobs)} as j where true
    on conflict (kind, key) do update set
      group_key = excluded.group_key, payload = excluded.payload, due_at = excluded.due_at, fence = job.fence + 1,
      owner = null, attempts = 0, last_error = null, claims = 0, parked_at = null`,
  );
}

export async function deleteJob(tx: Writer, kind: string, key: string): Promise<void> {
  await tx.deleteFrom("job").where("kind", "=", kind).where("key", "=", key).execute();
}

export async function makeDue(tx: Writer, kind: string, keys: readonly string[], nowMs: number): Promise<void> {
  await tx
    .updateTable("job")
    .set({ due_at: nowMs })
    .where("kind", "=", kind)
    .where("key", "in", [...keys])
    .where("owner", "is", null)
    .where("due_at", ">", nowMs)
    .execute();
}

/** `last_error` of a job whose group must wait. */
export const WAITS = "waits: its organization is suspended";

/** Returns the error of the last run. Waiting is none. */
function failureOf({ last_error: error }: Pick<JobRow, "last_error">): string | null {
  return error === WAITS ? null : error;
}

/** Makes the jobs of a group due now that had to wait. */
export async function wakeGroup(
  { metadata, clock }: { readonly metadata: Pick<MetadataStore, "notify">; readonly clock: Clock },
  tx: Writer,
  group: string,
): Promise<void> {
  await tx
    .updateTable("job")
    .set({ due_at: clock.nowMs(), last_error: null })
    .where("group_key", "=", group)
    .where("owner", "is", null)
    .where("last_error", "=", WAITS)
    .execute();
  await metadata.notify(tx, "job");
}

/** Makes all waiting jobs of a kind due now, except parked ones. Returns their number. */
export async function makeKindDue(tx: Writer, kind: string, nowMs: number): Promise<number> {
  const rows = await tx
    .updateTable("job")
    .set({ due_at: nowMs })
    .where("kind", "=", kind)
    .where("owner", "is", null)
    .where("parked_at", "is", null)
    .returning("id")
    .execute();
  return rows.length;
}

/**
 * Returns for each of these kinds the time at which its next job is due or a lease ends. Kinds without jobs are
 * missing.
 */
export async function dueTimes(
  metadata: Pick<MetadataStore, "read">,
  kinds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await Promise.all(
    kinds.map((kind) =>
      metadata.read
        .selectFrom("job")
        .select(["kind", "due_at"])
        .where("kind", "=", kind)
        .where("parked_at", "is", null)
        .orderBy("due_at")
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  return new Map(rows.filter((row) => row !== undefined).map((row) => [row.kind, row.due_at]));
}

/** A claimed job with the time at which it was due. */
export interface Claimed {
  readonly row: JobRow;
  readonly dueAtMs: number;
}

export interface Claim {
  readonly kind: string;
  readonly owner: string;
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** Groups that already use all their places. */
  readonly fullGroups: readonly string[];
}

/**
 * Takes the jobs that are due, and jobs whose lease has ended. `due_at` becomes the end of the new lease. Skips rows
 * that another node is taking at this moment.
 */
export async function claimJobs(tx: Writer, dialect: MetadataStore["dialect"], claim: Claim): Promise<Claimed[]> {
  const { kind, owner, nowMs, leaseMs, limit, fullGroups } = claim;
  const due = await tx
    .selectFrom("job")
    .selectAll()
    .where("kind", "=", kind)
    .where("due_at", "<=", nowMs)
    .where("parked_at", "is", null)
    .$if(fullGroups.length > 0, (query) => query.where("group_key", "not in", [...fullGroups]))
    .orderBy("due_at")
    .limit(limit)
    .$if(dialect === "postgres", (query) => query.forUpdate().skipLocked())
    .execute();
  const claimed: Claimed[] = [];
  for (const row of due) {
    if (row.claims >= CLAIMS_MAX) {
      await park(tx, row, nowMs);
      continue;
    }
    const taken = { due_at: nowMs + leaseMs, fence: row.fence + 1, owner, claims: row.claims + 1 };
    await tx.updateTable("job").set(taken).where("id", "=", row.id).execute();
    claimed.push({ row: { ...row, ...taken }, dueAtMs: row.due_at });
  }
  return claimed;
}

/** Parks a job whose runs did not end several times: it would end the process of every node in turn. */
async function park(tx: Writer, row: JobRow, nowMs: number): Promise<void> {
  const lastError = `parked: ${row.claims} runs in a row did not end, as when each of them ended its server`;
  await tx
    .updateTable("job")
    .set({ parked_at: nowMs, owner: null, fence: row.fence + 1, last_error: lastError })
    .where("id", "=", row.id)
    .execute();
}

/** Makes the parked jobs of a kind due now, as if they had never run. Returns their number. */
export async function unparkJobs(tx: Writer, kind: string, nowMs: number): Promise<number> {
  const rows = await tx
    .updateTable("job")
    .set({ parked_at: null, claims: 0, due_at: nowMs })
    .where("kind", "=", kind)
    .where("parked_at", "is not", null)
    .returning("id")
    .execute();
  return rows.length;
}

export interface JobFigures {
  readonly kind: string;
  readonly waiting: number;
  readonly dueAtMs: number;
  readonly attemptsMax: number;
}

/** Counts the jobs of each kind, without parked ones. */
export async function jobFigures(db: MetadataStore["read"]): Promise<JobFigures[]> {
  const rows = await db
    .selectFrom("job")
    .select(({ fn }) => [
      "kind",
      fn.countAll<number>().as("waiting"),
      fn.min("due_at").as("due_at"),
      fn.max("attempts").as("attempts"),
    ])
    .where("parked_at", "is", null)
    .groupBy("kind")
    .execute();
  return rows.map((row) => ({
    kind: row.kind,
    waiting: Number(row.waiting),
    dueAtMs: Number(row.due_at),
    attemptsMax: Number(row.attempts),
  }));
}

export async function countParked(db: MetadataStore["read"]): Promise<number> {
  const row = await db
    .selectFrom("job")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("parked_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Makes jobs of a kind due now that are due after `afterMs`. Usually there are none. An index makes this check cheap.
 */
export async function pullForward(
  metadata: Pick<MetadataStore, "read" | "write">,
  kind: string,
  times: { readonly afterMs: number; readonly nowMs: number },
): Promise<number> {
  const late = metadata.read.selectFrom("job").select("id").where("kind", "=", kind);
  if ((await late.where("due_at", ">", times.afterMs).limit(1).executeTakeFirst()) === undefined) return 0;
  const rows = await metadata.write((tx) =>
    tx
      .updateTable("job")
      .set({ due_at: times.nowMs })
      .where("kind", "=", kind)
      .where("due_at", ">", times.afterMs)
      .where("parked_at", "is", null)
      .returning("id")
      .execute(),
  );
  return rows.length;
}

/** A run that has ended. */
export interface Ran {
  readonly startedMs: number;
  readonly durationMs: number;
}

/**
 * Includes the owner: the fence is unchanged after a run has ended, and a late renewal must not move the next due time.
 */
type Held = Pick<JobRow, "id" | "fence" | "owner">;

/** Returns false if another node has taken over the job, the job was changed, or its run has ended. */
export async function extendLease(tx: Writer, held: Held, untilMs: number): Promise<boolean> {
  return changed(tx, held, { due_at: untilMs });
}

/** Ends a run and sets the job's next time. Returns false in the same cases as `extendLease`. */
export async function release(
  tx: Writer,
  held: Held,
  next: { dueAtMs: number; attempts: number; lastError: string | null; ran?: Ran },
): Promise<boolean> {
  return changed(tx, held, {
    ...(next.ran === undefined ? {} : { ran_at: next.ran.startedMs, ran_ms: next.ran.durationMs }),
    due_at: next.dueAtMs,
    attempts: next.attempts,
    last_error: next.lastError,
    claims: 0,
    owner: null,
  });
}

/** Ends a run and deletes the job. Returns false in the same cases as `extendLease`. */
export async function finish(tx: Writer, held: Held): Promise<boolean> {
  const rows = await tx
    .deleteFrom("job")
    .where("id", "=", held.id)
    .where("fence", "=", held.fence)
    .where("owner", "=", held.owner)
    .returning("id")
    .execute();
  return rows.length > 0;
}

async function changed(tx: Writer, held: Held, set: Partial<JobRow>): Promise<boolean> {
  const rows = await tx
    .updateTable("job")
    .set(set)
    .where("id", "=", held.id)
    .where("fence", "=", held.fence)
    .where("owner", "=", held.owner)
    .returning("id")
    .execute();
  return rows.length > 0;
}

/** Jobs of one kind, on all nodes together. */
export interface JobKind {
  readonly kind: string;
  readonly waiting: number;
  readonly running: number;
  /** Jobs that do not start until the operator unparks them. */
  readonly parked: number;
  readonly failing: number;
  readonly nextAtMs: number | null;
  readonly lastError: string | null;
  /** There are more jobs than were counted; the counted ones are due first. */
  readonly isCut: boolean;
}

/** Returns the job kinds in the order of their names. */
export async function jobKinds(db: MetadataStore["read"]): Promise<JobKind[]> {
  const kinds: JobKind[] = [];
  for (const kind of await kindsOf(db)) kinds.push(await jobsOfKind(db, kind));
  return kinds.filter(({ waiting, running, parked }) => waiting + running + parked > 0);
}

/**
 * Finds each kind by a search in the index behind the previous one, so the cost does not depend on the number of jobs.
 */
async function kindsOf(db: MetadataStore["read"]): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    with recursive found(kind) as (
      select (select kind from job where kind > '' order by kind limit 1)
      union all
      select (select kind from job where kind > found.kind order by kind limit 1) from found where found.kind is not null
    )
    select kind from found where kind is not null order by kind`.execute(db);
  return rows.map(({ kind }) => kind);
}

/** Returns the last run of a kind whose jobs repeat, on any node. A failed run will be retried. */
export async function lastRunOfKind(
  db: MetadataStore["read"],
  kind: string,
): Promise<(Ran & { readonly failure: string | null }) | null> {
  const first = db
    .selectFrom("job")
    .select(["ran_at", "ran_ms", "last_error"])
    .where("kind", "=", kind)
    .orderBy("due_at")
    .limit(JOBS_COUNTED_MAX);
  const row = await db
    .selectFrom(first.as("job"))
    .select(["ran_at", "ran_ms", "last_error"])
    .where("ran_at", "is not", null)
    .orderBy("ran_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.ran_at === null) return null;
  return { startedMs: row.ran_at, durationMs: row.ran_ms ?? 0, failure: failureOf(row) };
}

async function jobsOfKind(db: MetadataStore["read"], kind: string): Promise<JobKind> {
  const first = db
    .selectFrom("job")
    .select(["owner", "attempts", "parked_at", "due_at", "last_error"])
    .where("kind", "=", kind)
    .orderBy("due_at")
    .limit(JOBS_COUNTED_MAX + 1);
  const row = await db
    .selectFrom(first.as("job"))
    .select((eb) => [
      eb.fn.countAll<number>().as("all"),
      eb.fn.count<number>("owner").as("running"),
      eb.fn.sum<number | null>(eb.case().when("attempts", ">", 0).then(1).else(0).end()).as("failing"),
      eb.fn.count<number>("parked_at").as("parked"),
      eb.fn
        .min(
          eb
            .case()
            .when(eb.and([eb("owner", "is", null), eb("parked_at", "is", null)]))
            .then(eb.ref("due_at"))
            .end(),
        )
        .as("nextAtMs"),
      // An error is more urgent than a wait.
      eb.fn.max(sql<string | null>`nullif(last_error, ${WAITS})`).as("failure"),
      eb.fn.max("last_error").as("any"),
    ])
    .executeTakeFirstOrThrow();
  const [all, running, parked] = [Number(row.all), Number(row.running), Number(row.parked)];
  const isCut = all > JOBS_COUNTED_MAX;
  return {
    kind,
    waiting: Math.max(0, Math.min(all, JOBS_COUNTED_MAX) - running - parked),
    running,
    parked,
    failing: Number(row.failing ?? 0),
    nextAtMs: row.nextAtMs === null ? null : Number(row.nextAtMs),
    lastError: row.failure ?? row.any,
    isCut,
  };
}
