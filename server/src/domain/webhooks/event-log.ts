import { addUsage } from "#domain/quotas/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { ObjectStore, StagedBlob } from "#stores/objects/index.ts";
import { countDuplicates, insertBody, knownEvents, takeNumbers } from "./events-store.ts";
import { eventInserter } from "./insert/index.ts";
import type { EventRow } from "./types.ts";

/** An event that has no number yet. */
export interface NewEvent {
  readonly row: Omit<EventRow, "seq">;
  /** How long repetitions of the event are recognized, in milliseconds. */
  readonly windowMs: number;
  /** The body, when it is too large for the row. */
  readonly blob: StagedBlob | null;
}

export interface Kept {
  readonly id: string;
  /** True: a repetition. `id` is the id of the first event. */
  readonly duplicate: boolean;
}

interface Waiting {
  readonly event: NewEvent;
  readonly resolve: (kept: Kept) => void;
  readonly reject: (error: unknown) => void;
}

/** The result of a group. */
interface Written {
  readonly kept: readonly Kept[];
  /** The webhooks that received events. */
  readonly committed: ReadonlySet<string>;
  /** Events and bytes that were added, by organization. */
  readonly usage: readonly {
    readonly place: { readonly org_id: string; readonly webhook_id: string };
    readonly more: { readonly events: number; readonly bytes: number };
  }[];
}

export interface EventLogOptions {
  readonly metadata: MetadataStore;
  readonly objects: Pick<ObjectStore, "link">;
  /** Called after each commit with the webhooks that received events. */
  readonly committed: (webhookIds: ReadonlySet<string>) => void;
  /** Called after each commit with the bytes that were added to an organization. */
  readonly kept: (orgId: string, bytes: number) => void;
}

const GROUP_EVENTS_MAX = 256;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
/** With more waiting events, senders get an error with `Retry-After`, because these events are in memory. */
const WAITING_MAX = 5000;
const WAITING_BYTES_MAX = 128 * 1024 * 1024;

/**
 * Writes events in groups. While one transaction waits for the disk, new events collect, and the next transaction
 * writes all of them. A group is written completely or not at all. Each event is acknowledged after the commit of its
 * group.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #insert: (tx: Writer, rows: readonly EventRow[]) => void;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#insert = eventInserter(options.metadata.dialect);
  }

  /** Resolves when the event is on disk. @throws Problem `unavailable`, `disk_full`, and then nothing was written */
  append(event: NewEvent): Promise<Kept> {
    const bytes = bytesOf(event);
    if (this.#waiting.length >= WAITING_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX)
      return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, resolve, reject });
      this.#waitingBytes += bytes;
      this.#running ??= this.#run();
    });
  }

  /** Resolves when no event is waiting. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Events of the same turn of the event loop are written together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commit(this.#take());
    // No `await` after the loop's last check: an event that arrives later starts a new run.
    this.#running = undefined;
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { event } of this.#waiting) {
      if (count > 0 && (count === GROUP_EVENTS_MAX || bytes + bytesOf(event) > GROUP_BYTES_MAX)) break;
      bytes += bytesOf(event);
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      const events = group.map(({ event }) => event);
      const { kept, committed, usage } = await this.#options.metadata.write((tx) => this.#write(tx, events));
      group.forEach(({ resolve }, i) => resolve(kept[i] as Kept));
      for (const { place, more } of usage) this.#options.kept(place.org_id, more.bytes);
      if (committed.size > 0) this.#options.committed(committed);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async #write(tx: Writer, events: readonly NewEvent[]): Promise<Written> {
    // This is the first statement, because it makes groups of other nodes wait. The next statements then see everything
    // that those nodes have committed.
    let seq = await takeNumbers(tx, this.#options.metadata.dialect, events.length);
    const known = await duplicatesOf(tx, events);
    const rows: EventRow[] = [];
    const kept: Kept[] = [];
    const again = new Map<string, number>();
    for (const { row, blob } of events) {
      const first = row.dedup_key === null ? undefined : known.get(nameOf(row));
      if (first !== undefined) {
        again.set(first, (again.get(first) ?? 0) + 1);
        kept.push({ id: first, duplicate: true });
        continue;
      }
      if (row.dedup_key !== null) known.set(nameOf(row), row.id);
      rows.push({ ...row, seq });
      if (blob !== null) await this.#linkBody(tx, row.org_id, seq, blob);
      kept.push({ id: row.id, duplicate: false });
      seq += 1;
    }
    this.#insert(tx, rows);
    for (const [id, more] of again) countDuplicates(tx, id, more);
    const usage = usageOf(rows);
    for (const { place, more } of usage) addUsage(tx, "events", place, more);
    return { kept, committed: new Set(rows.map((row) => row.webhook_id)), usage };
  }

  async #linkBody(tx: Writer, orgId: string, seq: number, blob: StagedBlob): Promise<void> {
    await this.#options.objects.link(tx, orgId, blob);
    insertBody(tx, { seq, org_id: orgId, blob_id: blob.id });
  }
}

/** Finds events of the same webhook and name that arrived within their window. Returns their ids. */
async function duplicatesOf(tx: Writer, events: readonly NewEvent[]): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  const named = events.filter(({ row }) => row.dedup_key !== null);
  for (const [webhookId, group] of Map.groupBy(named, ({ row }) => row.webhook_id)) {
    const keys = group.map(({ row }) => row.dedup_key as string);
    const sinceMs = Math.min(...group.map(({ row, windowMs }) => row.received_at - windowMs));
    for (const row of await knownEvents(tx, webhookId, keys, sinceMs))
      known.set(nameOf({ webhook_id: webhookId, dedup_key: row.dedup_key }), row.id);
  }
  return known;
}

function nameOf({ webhook_id, dedup_key }: Pick<EventRow, "webhook_id" | "dedup_key">): string {
  return `${webhook_id} ${dedup_key}`;
}

/** Sorted by id, so that two nodes that write to the same organizations don't deadlock. */
function usageOf(rows: readonly EventRow[]): Written["usage"] {
  // All nodes change the rows in the same order, so that no two wait for each other.
  const byWebhook = [...Map.groupBy(rows, (row) => row.webhook_id)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return byWebhook.map(([webhook_id, group]) => {
    const bytes = group.reduce((sum, row) => sum + row.size + row.headers.length, 0);
    return { place: { org_id: group[0]?.org_id ?? "", webhook_id }, more: { events: group.length, bytes } };
  });
}

function bytesOf({ row }: NewEvent): number {
  return row.headers.length + (row.body?.length ?? 0);
}

function overloaded(): Problem {
  const detail = "cannot keep the event: the disk can't keep up with new events; send it again later";
  return new Problem("unavailable", detail, { retryAfterS: 1 });
}
