import { newId } from "#kernel/ids.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { AuditDeps } from "./append.ts";
import { newestCut } from "./cut.ts";
import { declarationsOf, REPAIR_ACTION } from "./declared.ts";
import { Erasures } from "./erase.ts";
import { hashOf, INSTANCE_CHAIN, type AuditRow } from "./event.ts";
import { findHead, insertRow, type AuditHead } from "./store.ts";
import { headFinding } from "./verify.ts";
import { newWalk, walkOn, type Finding, type Walk } from "./walk.ts";

/** The most findings in one entry. A badly damaged log needs several entries. */
const FINDINGS_PER_ENTRY = 100;

export interface AuditRepair {
  /** The findings that are declared now. Empty if the chain is whole, or if every finding was declared before. */
  readonly findings: readonly Finding[];
  /** The declaring entries. */
  readonly entries: readonly number[];
}

/**
 * Makes a broken chain usable again. It hides nothing: no entry is changed or removed. New entries at the end describe
 * the faults, the head is set to them, and the log continues from there. `verifyAudit` then passes, and reports the
 * declared faults.
 */
export async function repairAudit(deps: AuditDeps, orgId: string | null): Promise<AuditRepair> {
  const chain = orgId ?? INSTANCE_CHAIN;
  const declarations = await declarationsOf(deps.metadata.read, chain);
  const findings: Finding[] = [];
  const found = (finding: Finding): "continue" => {
    if (!declarations.has(finding)) findings.push(finding);
    return "continue";
  };
  const walk = newWalk(await newestCut(deps.metadata.read, chain));
  const erasures = await Erasures.of(deps.metadata.read, chain);
  const before = await findHead(deps.metadata.read, chain);
  await walkOn(deps.metadata.read, chain, walk, { headSeq: before?.seq, erasures, found });
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `audit:${chain}`);
    // Walk the entries that were appended since the fault. From here on none can be appended.
    const head = await findHead(tx, chain);
    if (head?.seq !== before?.seq || head?.hash !== before?.hash) walk.atHead = undefined;
    await walkOn(tx, chain, walk, { headSeq: head?.seq, erasures, found });
    const atHead = await hashAt(tx, chain, head?.seq);
    const metadata = { ...deps.metadata, read: tx };
    const ofHead = await headFinding({ ...deps, metadata }, chain, head, { ...walk, atHead });
    const all = ofHead === undefined ? findings : [...findings, ofHead];
    return { findings: all, entries: declare(deps, tx, { chain, head, walk, findings: all }) };
  });
}

async function hashAt(tx: Writer, chain: string, seq: number | undefined): Promise<string | undefined> {
  if (seq === undefined) return undefined;
  const row = tx.selectFrom("audit").select("hash").where("org_id", "=", chain).where("seq", "=", seq);
  return (await row.executeTakeFirst())?.hash;
}

/**
 * Appends the declaring entries. Their numbers are higher than every number that ever existed, so no number is used
 * twice.
 */
function declare(
  deps: AuditDeps,
  tx: Writer,
  parts: { chain: string; head: AuditHead | undefined; walk: Walk; findings: readonly Finding[] },
): number[] {
  const { chain, head, walk, findings } = parts;
  const entries: number[] = [];
  let last = { seq: Math.max(walk.last.seq, head?.seq ?? 0), hash: walk.last.hash };
  for (let at = 0; at < findings.length; at += FINDINGS_PER_ENTRY) {
    const some = findings.slice(at, at + FINDINGS_PER_ENTRY);
    const gap = at === 0 ? gapBefore(walk.last, last.seq) : [];
    const nowMs = deps.clock.nowMs();
    const row: Omit<AuditRow, "hash"> = {
      org_id: chain,
      seq: last.seq + 1,
      id: newId("aud", nowMs),
      at: nowMs,
      actor_kind: "system",
      actor_id: null,
      action: REPAIR_ACTION,
      target_kind: null,
      target_id: null,
      result: "success",
      ip: null,
      request_id: null,
      detail: JSON.stringify({ findings: [...some, ...gap], head: head ?? null }),
      prev_hash: last.hash,
      commitments: null,
      personal: null,
    };
    const hash = hashOf(row);
    insertRow(tx, { ...row, hash });
    last = { seq: row.seq, hash };
    entries.push(row.seq);
  }
  return entries;
}

/** Returns the gap before the declaring entry if entries were cut off at the end. */
function gapBefore(last: AuditHead, to: number): Finding[] {
  if (to === last.seq) return [];
  const seq = to + 1;
  const detail = `Entry ${last.seq + 1} is missing: entry ${last.seq} is followed by ${seq}.`;
  return [{ fault: "gap", seq, from: last.seq + 1, to, detail, evidence: `${last.hash} ${last.hash}` }];
}
