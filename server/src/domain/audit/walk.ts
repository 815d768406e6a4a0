import { setImmediate as nextTurn } from "node:timers/promises";
import { sha256Hex } from "#kernel/digest.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { GENESIS_HASH, hashOf, type AuditRow } from "./event.ts";
import type { Erasures } from "./erase.ts";
import { commitmentOf, commitmentsOf, partsOf } from "./personal.ts";
import { rowsAfter, type AuditHead } from "./store.ts";

/**
 * `gap`: a number is missing. `edited`: a field does not match the row's hash. `unlinked`: a row does not follow the
 * one before it (reordered, replaced, or edited and hashed again). `truncated`: rows at the end are missing. `head`:
 * the record of the last row is missing or older than the rows.
 */
export type AuditFault = "gap" | "edited" | "unlinked" | "truncated" | "head";

/** A fault in a chain. */
export interface Finding {
  readonly fault: AuditFault;
  /** The number of the entry at which the fault shows. */
  readonly seq: number;
  /** The first and the last entry concerned. */
  readonly from: number;
  readonly to: number;
  readonly detail: string;
  /** The content found there, as hashes. A repair declares exactly this content. A later change is another finding. */
  readonly evidence: string;
}

export interface Walk {
  entries: number;
  last: AuditHead;
  /** The hash of the row with the number `headSeq`. */
  atHead: string | undefined;
}

/** A SQLite read runs in one turn of the event loop. Without a pause between pages a long chain would block it. */
const PAGE_ROWS = 200;

/** Returns a walk that begins behind a cut, or at the first entry. */
export function newWalk(cut?: { readonly toSeq: number; readonly hash: string }): Walk {
  const last = cut === undefined ? { seq: 0, hash: GENESIS_HASH } : { seq: cut.toSeq, hash: cut.hash };
  return { entries: 0, last, atHead: undefined };
}

/**
 * Continues the walk to the end of the chain. Reports each finding to the callback. After a finding the walk continues
 * as if the row were good, unless the callback stops it.
 * @param options.headSeq the number of the row whose hash the walk returns
 */
export async function walkOn(
  db: Reader,
  chain: string,
  walk: Walk,
  options: {
    headSeq?: number | undefined;
    erasures: Erasures;
    /** Ends the walk before this row. */
    until?: (row: AuditRow) => boolean;
    found(finding: Finding): "continue" | "stop";
    signal?: AbortSignal | undefined;
  },
): Promise<void> {
  for (;;) {
    options.signal?.throwIfAborted();
    const rows = await rowsAfter(db, chain, walk.last.seq, PAGE_ROWS);
    for (const row of rows) {
      if (options.until?.(row) === true) return;
      for (const finding of findingsOf(row, walk.last, options.erasures)) if (options.found(finding) === "stop") return;
      walk.entries++;
      walk.last = { seq: row.seq, hash: row.hash };
      if (row.seq === options.headSeq) walk.atHead = row.hash;
    }
    if (rows.length < PAGE_ROWS) return;
    await nextTurn();
  }
}

/** Returns the faults of a row. A gap and the row after it are one finding, because their link can't be checked. */
function findingsOf(row: AuditRow, last: AuditHead, erasures: Erasures): Finding[] {
  const { seq } = row;
  const findings: Finding[] = [];
  if (seq !== last.seq + 1) {
    const detail = `Entry ${last.seq + 1} is missing: entry ${last.seq} is followed by ${seq}.`;
    const evidence = `${last.hash} ${row.prev_hash}`;
    findings.push({ fault: "gap", seq, from: last.seq + 1, to: seq - 1, detail, evidence });
  } else if (row.prev_hash !== last.hash) {
    const detail = `Entry ${seq} does not follow entry ${last.seq}: one of the two was replaced or moved.`;
    findings.push({ fault: "unlinked", seq, from: seq, to: seq, detail, evidence: `${last.hash} ${row.prev_hash}` });
  }
  const content = hashOf(row);
  if (content !== row.hash && !erasures.hasContent(row)) {
    const detail = `Entry ${seq} was changed after it was written.`;
    findings.push({ fault: "edited", seq, from: seq, to: seq, detail, evidence: `${row.hash} ${content}` });
  } else if (!hasGoodParts(row, erasures)) {
    const detail = `A personal part of entry ${seq} was changed, or is absent without an erasure.`;
    const evidence = `${row.hash} ${sha256Hex(row.personal ?? "")}`;
    findings.push({ fault: "edited", seq, from: seq, to: seq, detail, evidence });
  }
  return findings;
}

/** Each part must have its commitment, or be named by an erasure. An erased part must not be put back. */
function hasGoodParts(row: AuditRow, erasures: Erasures): boolean {
  const [commitments, parts] = [commitmentsOf(row), partsOf(row)];
  if (commitments.length !== parts.length || !erasures.isAsErased(row.seq, parts)) return false;
  return parts.every((part, n) => part === null || commitmentOf(part) === commitments[n]);
}
