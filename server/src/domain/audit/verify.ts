import type { MetadataStore } from "#stores/metadata/index.ts";
import { newestCut, type Cut } from "./cut.ts";
import { declarationsOf, type Declared } from "./declared.ts";
import { Erasures } from "./erase.ts";
import { INSTANCE_CHAIN } from "./event.ts";
import { findHead, organizationExists, type AuditHead } from "./store.ts";
import { newWalk, walkOn, type AuditFault, type Finding, type Walk } from "./walk.ts";

export type AuditVerdict =
  | {
      ok: true;
      entries: number;
      headHash: string;
      /** Faults that `audit repair` declared, in the order of the chain. They stay for ever. */
      declared: readonly Declared[];
      /** The number of entries whose personal parts were erased. */
      erased: number;
      /** The newest cut. The verification began behind it. Null: no entry was ever deleted. */
      cut: Cut | null;
    }
  | { ok: false; entries: number; fault: AuditFault; seq: number; detail: string };

/** `metadata.read` may be a transaction. */
export interface VerifyDeps {
  readonly metadata: Pick<MetadataStore, "read">;
}

/** A log may change while it is verified. */
const ATTEMPTS_MAX = 5;

/**
 * Walks a whole chain, or its rest behind the newest cut, and reports the first fault that no repair has declared. A
 * person who can write to every table can build a new valid chain. To detect that, keep `headHash` or exports elsewhere
 * and compare them.
 */
export async function verifyAudit(deps: VerifyDeps, orgId: string | null, signal?: AbortSignal): Promise<AuditVerdict> {
  const chain = orgId ?? INSTANCE_CHAIN;
  let facts = await factsOf(deps, chain);
  for (let attempts = 1; ; attempts++) {
    const verdict = await verifyWith(deps, chain, facts, signal);
    if (verdict.ok || attempts === ATTEMPTS_MAX) return verdict;
    // An erasure or a cut during the walk looks like a fault.
    const now = await factsOf(deps, chain);
    if (now.erasures.entries === facts.erasures.entries && now.cut?.entry === facts.cut?.entry) return verdict;
    facts = now;
  }
}

/** What entries of the log say about other entries. */
async function factsOf({ metadata: { read } }: VerifyDeps, chain: string) {
  return {
    erasures: await Erasures.of(read, chain),
    cut: await newestCut(read, chain),
    declarations: await declarationsOf(read, chain),
  };
}

async function verifyWith(
  deps: VerifyDeps,
  chain: string,
  { erasures, cut, declarations }: Awaited<ReturnType<typeof factsOf>>,
  signal: AbortSignal | undefined,
): Promise<AuditVerdict> {
  const db = deps.metadata.read;
  const before = await findHead(db, chain);
  const walk = newWalk(cut);
  let first: Finding | undefined;
  const found = (finding: Finding): "continue" | "stop" => {
    if (declarations.has(finding)) return "continue";
    first = finding;
    return "stop";
  };
  await walkOn(db, chain, walk, { headSeq: before?.seq, erasures, found, signal });
  const { entries } = walk;
  const fault = first ?? (await headFinding(deps, chain, before, walk));
  if (fault !== undefined) return { ok: false, entries, fault: fault.fault, seq: fault.seq, detail: fault.detail };
  const { hash } = walk.last;
  return { ok: true, entries, headHash: hash, declared: declarations.all, erased: erasures.entries, cut: cut ?? null };
}

/** Compares the rows with the head from before the walk, so that an append during the walk is not a fault. */
export async function headFinding(
  deps: VerifyDeps,
  chain: string,
  before: AuditHead | undefined,
  walk: Walk,
): Promise<Finding | undefined> {
  const { seq, hash } = walk.last;
  if (before === undefined) return headlessFinding(deps, chain, walk.last);
  const evidence = `${before.seq} ${before.hash} ${hash}`;
  if (seq < before.seq) {
    const detail = `Entries ${seq + 1} to ${before.seq} are missing at the end.`;
    return { fault: "truncated", seq: seq + 1, from: seq + 1, to: before.seq, detail, evidence };
  }
  if (walk.atHead !== before.hash) {
    const detail = `Entry ${before.seq} is not the entry that was written last.`;
    return { fault: "edited", seq: before.seq, from: before.seq, to: before.seq, detail, evidence };
  }
  const after = await findHead(deps.metadata.read, chain);
  if (after !== undefined && after.seq >= seq) return undefined;
  const detail = `The record of the last entry is older than entry ${seq}.`;
  return { fault: "head", seq, from: before.seq + 1, to: seq, detail, evidence };
}

/**
 * Reports an organization without a chain. Every chain begins with the organization's creation, so this chain was lost.
 */
async function headlessFinding(deps: VerifyDeps, chain: string, last: AuditHead): Promise<Finding | undefined> {
  const { seq, hash } = last;
  const after = await findHead(deps.metadata.read, chain);
  if (after !== undefined && after.seq >= seq) return undefined; // the first entry was written during the walk
  if (seq > 0) {
    const detail = "The record of the last entry is missing.";
    return { fault: "head", seq, from: 1, to: seq, detail, evidence: hash };
  }
  if (chain === INSTANCE_CHAIN || !(await organizationExists(deps.metadata.read, chain))) return undefined;
  const detail = "The whole log of this organization is missing.";
  return { fault: "truncated", seq: 1, from: 1, to: 1, detail, evidence: hash };
}
