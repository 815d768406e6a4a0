import { setImmediate as nextTurn } from "node:timers/promises";
import { GENESIS_HASH, INSTANCE_CHAIN, hashOf, type AuditRow } from "./event.ts";
import type { AuditDeps } from "./append.ts";
import { findHead, organizationExists, rowsAfter, type AuditHead } from "./store.ts";

/**
 * `gap`: a number is missing. `edited`: a field does not fit the row's hash. `unlinked`: a row does not follow the one
 * before it (reordered, replaced, or edited and hashed anew). `truncated`: rows at the end are gone. `head`: the record
 * of the last row is missing or older than the rows.
 */
export type AuditFault = "gap" | "edited" | "unlinked" | "truncated" | "head";

export type AuditVerdict =
  | { ok: true; entries: number; headHash: string }
  | { ok: false; entries: number; fault: AuditFault; seq: number; detail: string };

/** SQLite's reads end in the turn that they begin in: without a pause a long chain would hold the event loop to its end. */
const PAGE_ROWS = 200;

/**
 * Walks a whole chain and reports the first fault that it can prove. Someone who may write every table can build a new
 * chain that is whole in itself; against that, keep `headHash` or exports elsewhere and compare.
 */
export async function verifyAudit(deps: AuditDeps, orgId: string | null, signal?: AbortSignal): Promise<AuditVerdict> {
  const db = deps.metadata.read;
  const chain = orgId ?? INSTANCE_CHAIN;
  const before = await findHead(db, chain);
  const walk: Walk = { entries: 0, last: { seq: 0, hash: GENESIS_HASH }, atHead: undefined };
  for (;;) {
    signal?.throwIfAborted();
    const rows = await rowsAfter(db, chain, walk.last.seq, { limit: PAGE_ROWS });
    for (const row of rows) {
      const fault = faultOf(row, walk.last);
      if (fault !== undefined) return { ok: false, entries: walk.entries, seq: row.seq, ...fault };
      walk.entries++;
      walk.last = { seq: row.seq, hash: row.hash };
      if (row.seq === before?.seq) walk.atHead = row.hash;
    }
    if (rows.length < PAGE_ROWS) break;
    await nextTurn();
  }
  const missing = await headFault(deps, chain, before, walk);
  if (missing !== undefined) return { ok: false, entries: walk.entries, ...missing };
  return { ok: true, entries: walk.entries, headHash: walk.last.hash };
}

interface Walk {
  entries: number;
  last: AuditHead;
  /** Hash of the row whose number the head had when the walk began. */
  atHead: string | undefined;
}

function faultOf(row: AuditRow, last: AuditHead): { fault: AuditFault; detail: string } | undefined {
  if (row.seq !== last.seq + 1) {
    return { fault: "gap", detail: `Entry ${last.seq + 1} is missing: entry ${last.seq} is followed by ${row.seq}.` };
  }
  if (row.prev_hash !== last.hash) {
    return {
      fault: "unlinked",
      detail: `Entry ${row.seq} does not follow entry ${last.seq}: one of them was replaced or moved.`,
    };
  }
  if (hashOf(row) !== row.hash) {
    return { fault: "edited", detail: `Entry ${row.seq} was changed after it was written.` };
  }
  return undefined;
}

/** Compares the rows with the head as it was before the walk, so that appends meanwhile are no fault. */
async function headFault(
  deps: AuditDeps,
  chain: string,
  before: AuditHead | undefined,
  walk: Walk,
): Promise<{ fault: AuditFault; seq: number; detail: string } | undefined> {
  const { seq } = walk.last;
  if (before === undefined) return headlessFault(deps, chain, seq);
  if (seq < before.seq) {
    return { fault: "truncated", seq: seq + 1, detail: `Entries ${seq + 1} to ${before.seq} are missing at the end.` };
  }
  if (walk.atHead !== before.hash) {
    return {
      fault: "edited",
      seq: before.seq,
      detail: `Entry ${before.seq} is not the one that was written as the last.`,
    };
  }
  const after = await findHead(deps.metadata.read, chain);
  if (after === undefined || after.seq < seq) {
    return { fault: "head", seq, detail: `The record of the last entry is older than entry ${seq}.` };
  }
  return undefined;
}

/** Every organization's chain begins with its creation, so an organization without a chain has lost it. */
async function headlessFault(
  deps: AuditDeps,
  chain: string,
  seq: number,
): Promise<{ fault: AuditFault; seq: number; detail: string } | undefined> {
  const after = await findHead(deps.metadata.read, chain);
  if (after !== undefined && after.seq >= seq) return undefined; // the first entry was written during the walk
  if (seq > 0) return { fault: "head", seq, detail: "The record of the last entry is missing." };
  if (chain !== INSTANCE_CHAIN && (await organizationExists(deps.metadata.read, chain))) {
    return { fault: "truncated", seq: 1, detail: "The whole log of this organization is missing." };
  }
  return undefined;
}
