import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { appendAudit, type AuditDeps } from "./append.ts";
import { hashOf, INSTANCE_CHAIN, type AuditRow } from "./event.ts";
import { withoutFields, withoutParts, type Erased, type partsOf } from "./personal.ts";
import { pagesByTime, replacePersonal } from "./store.ts";

/** The action of entries that name erased parts of other entries. */
export const ERASE_ACTION = "audit.erase";
/** The most entries that one transaction changes, and that one entry names. */
const BATCH = 200;
const PAGE_ROWS = 200;

/** A person whose personal parts are erased. */
export interface PersonToErase {
  readonly userId: string;
  /** The ids of targets that are about an address of the person: invitations. */
  readonly targets: readonly string[];
  /** Numbers of entries in the log of the instance that are about an address of the person. */
  readonly instanceSeqs: readonly number[];
}

/**
 * Erases the personal parts of a person in the log of one organization, or of the instance. Each batch is one
 * transaction with an entry that names the erased parts, so the log verifies after each of them. Can be repeated.
 * Returns the number of changed entries.
 */
export async function eraseFromAudit(
  deps: AuditDeps,
  orgId: string | null,
  person: PersonToErase,
  signal?: AbortSignal,
): Promise<number> {
  const chain = orgId ?? INSTANCE_CHAIN;
  const seqs = await entriesAbout(deps.metadata.read, chain, person, signal);
  let count = 0;
  for (let at = 0; at < seqs.length; at += BATCH) {
    signal?.throwIfAborted();
    count += await deps.metadata.write((tx) => eraseBatch(deps, tx, orgId, person, seqs.slice(at, at + BATCH)));
  }
  return count;
}

/** Returns the numbers of entries that may have parts of the person. Every filter has an index. */
async function entriesAbout(
  db: Reader,
  chain: string,
  { userId, targets, instanceSeqs }: PersonToErase,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const seqs = new Set(chain === INSTANCE_CHAIN ? instanceSeqs : []);
  const filters = [{ actorId: userId }, { targetId: userId }, ...targets.map((targetId) => ({ targetId }))];
  for (const filter of filters)
    for await (const rows of pagesByTime(db, chain, filter, PAGE_ROWS)) {
      signal?.throwIfAborted();
      for (const { seq } of rows) seqs.add(seq);
    }
  return [...seqs].toSorted((a, b) => a - b);
}

async function eraseBatch(
  deps: { readonly metadata: Pick<MetadataStore, "lock">; readonly clock: AuditDeps["clock"] },
  tx: Writer,
  orgId: string | null,
  person: PersonToErase,
  seqs: readonly number[],
): Promise<number> {
  const chain = orgId ?? INSTANCE_CHAIN;
  await deps.metadata.lock(tx, `audit:${chain}`);
  const rows = tx
    .selectFrom("audit")
    .selectAll()
    .where("org_id", "=", chain)
    .where("seq", "in", [...seqs]);
  const erased: Erased = {
    userId: person.userId,
    isAbout: ({ org_id: org, seq, target_id: target }) =>
      (org === INSTANCE_CHAIN && person.instanceSeqs.includes(seq)) || person.targets.includes(target ?? ""),
  };
  const parts: [seq: number, n: number][] = [];
  const fields: [seq: number, content: string][] = [];
  for (const row of await rows.orderBy("seq").execute()) {
    const done = row.commitments === null ? undefined : withoutParts(row, erased);
    const old = row.commitments === null ? withoutFields(row, erased) : undefined;
    const next = done?.row ?? old;
    if (next === undefined) continue;
    await replacePersonal(tx, next);
    for (const n of done?.erased ?? []) parts.push([row.seq, n]);
    if (old !== undefined) fields.push([row.seq, hashOf(old)]);
  }
  const count = new Set([...parts, ...fields].map(([seq]) => seq)).size;
  if (count === 0) return 0;
  await appendAudit(deps, tx, {
    orgId,
    actor: { kind: "system", id: null },
    action: ERASE_ACTION,
    target: { kind: "user", id: person.userId },
    result: "success",
    detail: { parts, fields },
  });
  return count;
}

/** The erasures that entries of a log name. */
export class Erasures {
  readonly #parts = new Set<string>();
  readonly #contents = new Map<number, string>();
  readonly #seqs = new Set<number>();

  /** The number of entries with erased parts. */
  get entries(): number {
    return this.#seqs.size;
  }

  /** Reads the erasures of a log. An entry that was edited later names none. */
  static async of(db: Reader, chain: string): Promise<Erasures> {
    const erasures = new Erasures();
    for await (const rows of pagesByTime(db, chain, { action: ERASE_ACTION }, PAGE_ROWS))
      for (const row of rows) if (hashOf(row) === row.hash) erasures.#add(row);
    return erasures;
  }

  #add(row: AuditRow): void {
    const { parts = [], fields = [] } = JSON.parse(row.detail) as {
      parts?: readonly [number, number][];
      fields?: readonly [number, string][];
    };
    for (const [seq, n] of parts) {
      this.#parts.add(`${seq} ${n}`);
      this.#seqs.add(seq);
    }
    for (const [seq, content] of fields) {
      this.#contents.set(seq, content);
      this.#seqs.add(seq);
    }
  }

  hasPart(seq: number, n: number): boolean {
    return this.#parts.has(`${seq} ${n}`);
  }

  /** Whether a row of an older version has the content that the erasure left. */
  hasContent(row: AuditRow): boolean {
    return this.#contents.get(row.seq) === hashOf(row);
  }

  /** Whether the absent parts of an entry are the erased ones. */
  isAsErased(seq: number, parts: ReturnType<typeof partsOf>): boolean {
    return parts.every((part, n) => (part === null) === this.hasPart(seq, n));
  }
}
