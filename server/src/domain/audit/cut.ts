import { createPublicKey, verify as verifySignature, type JsonWebKey } from "node:crypto";
import type { Cutoff } from "#kernel/deletions.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { appendAudit, type AuditDeps } from "./append.ts";
import { declarationsOf } from "./declared.ts";
import { Erasures } from "./erase.ts";
import { hashOf, INSTANCE_CHAIN, type AuditRow } from "./event.ts";
import { deleteOldest, findHead, rowsByTime } from "./store.ts";
import { newWalk, walkOn, type Finding } from "./walk.ts";

/** The action of entries that record a cut: older entries were deleted, because they were past their retention. */
export const CUT_ACTION = "audit.cut";
/** The most entries of one cut. Later ones wait for the next run. */
const CUT_ENTRIES_MAX = 50_000;
/** The number of entries that one transaction deletes. It is small, because other writers wait for the transaction. */
const DELETE_BATCH = 500;
/** The newest cuts that are examined to find a valid one. */
const CUTS_READ = 20;

/** A cut of a log. Verification begins behind it. */
export interface Cut {
  /** The first and the last deleted entry of this cut. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The number of entries that this cut deleted, and that all cuts of the log deleted. */
  readonly count: number;
  readonly total: number;
  /** The hash of the last deleted entry. */
  readonly hash: string;
  readonly atMs: number;
  /** The key that signed it. */
  readonly kid: string;
  /** The entry that records it. */
  readonly entry: number;
}

/** Signs with the key that signs the server's tokens. */
export interface AuditSigner {
  sign(text: string): Promise<{ kid: string; alg: string; publicJwk: string; signature: string }>;
}

type Facts = Omit<Cut, "kid" | "entry">;

/** No token has this form, so a signature of a cut is never one of a token. */
function textOf(chain: string, { fromSeq, toSeq, count, total, hash, atMs }: Facts): string {
  return JSON.stringify(["mooring.audit.cut.1", chain, fromSeq, toSeq, count, total, hash, atMs]);
}

/** Returns the newest cut with a valid signature. */
export async function newestCut(db: Reader, chain: string): Promise<Cut | undefined> {
  const page = { filters: { action: CUT_ACTION }, limit: CUTS_READ, order: "desc", behind: undefined } as const;
  for (const row of await rowsByTime(db, chain, page)) {
    const cut = await validCut(db, chain, row);
    if (cut !== undefined) return cut;
  }
  return undefined;
}

async function validCut(db: Reader, chain: string, row: AuditRow): Promise<Cut | undefined> {
  if (hashOf(row) !== row.hash) return undefined;
  const detail = JSON.parse(row.detail) as Record<string, unknown>;
  const number = (name: string): number => Number(detail[name]);
  const facts: Facts = {
    fromSeq: number("from_seq"),
    toSeq: number("to_seq"),
    count: number("count"),
    total: number("total"),
    hash: String(detail["hash"]),
    atMs: number("at_ms"),
  };
  const kid = String(detail["kid"]);
  const key = await db.selectFrom("audit_key").selectAll().where("kid", "=", kid).executeTakeFirst();
  if (key === undefined || facts.toSeq >= row.seq) return undefined;
  const signature = Buffer.from(String(detail["signature"]), "base64url");
  if (!isSigned(key.public_jwk, textOf(chain, facts), signature)) return undefined;
  return { ...facts, kid, entry: row.seq };
}

function isSigned(publicJwk: string, text: string, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: JSON.parse(publicJwk) as JsonWebKey, format: "jwk" });
    return verifySignature("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false;
  }
}

/** The result of a cut. `fault`: the old entries have a fault that no repair has declared, so none was deleted. */
export type CutOutcome = { readonly deleted: number } | { readonly fault: Finding };

/**
 * Deletes the entries before a time. A signed entry records the cut first, and then batches delete. A run that was
 * interrupted between the two is continued by the next one. A broken log is not cut, because the cut would hide the
 * fault.
 */
export async function cutAudit(
  deps: AuditDeps & { readonly signer: AuditSigner },
  orgId: string | null,
  beforeMs: Cutoff,
  signal?: AbortSignal,
): Promise<CutOutcome> {
  const chain = orgId ?? INSTANCE_CHAIN;
  const previous = await newestCut(deps.metadata.read, chain);
  let deleted = previous === undefined ? 0 : await deleteBehind(deps, chain, previous.toSeq, signal);
  const old = await oldEntries(deps.metadata.read, chain, previous, beforeMs, signal);
  if ("fault" in old) return old;
  if (old.count === 0) return { deleted };
  const { toSeq, hash, count } = old;
  const facts: Facts = {
    fromSeq: (previous?.toSeq ?? 0) + 1,
    toSeq,
    count,
    total: (previous?.total ?? 0) + count,
    hash,
    atMs: deps.clock.nowMs(),
  };
  const signed = await deps.signer.sign(textOf(chain, facts));
  await deps.metadata.write((tx) => recordCut(deps, tx, orgId, facts, signed));
  deleted += await deleteBehind(deps, chain, toSeq, signal);
  return { deleted };
}

/**
 * Returns the entries to delete. Times may go back, because the clocks of nodes differ, so they end before the first
 * entry that is not old. The last entry of a log always stays.
 */
async function oldEntries(
  db: Reader,
  chain: string,
  previous: Cut | undefined,
  beforeMs: Cutoff,
  signal: AbortSignal | undefined,
): Promise<{ toSeq: number; hash: string; count: number } | { fault: Finding }> {
  const [erasures, declarations] = [await Erasures.of(db, chain), await declarationsOf(db, chain)];
  const head = await findHead(db, chain);
  const walk = newWalk(previous);
  let fault: Finding | undefined;
  let isOnlyCuts = true;
  const found = (finding: Finding): "continue" | "stop" => {
    if (declarations.has(finding)) return "continue";
    fault = finding;
    return "stop";
  };
  const until = (row: AuditRow): boolean => {
    const isKept = row.at >= beforeMs || row.seq >= (head?.seq ?? 0) || walk.entries >= CUT_ENTRIES_MAX;
    if (!isKept && row.action !== CUT_ACTION) isOnlyCuts = false;
    return isKept;
  };
  await walkOn(db, chain, walk, { erasures, found, until, signal });
  if (fault !== undefined) return { fault };
  // A log without other entries would get a new cut for each old one, for ever.
  return { toSeq: walk.last.seq, hash: walk.last.hash, count: isOnlyCuts ? 0 : walk.entries };
}

async function recordCut(
  deps: { readonly metadata: Pick<MetadataStore, "lock">; readonly clock: AuditDeps["clock"] },
  tx: Writer,
  orgId: string | null,
  facts: Facts,
  { kid, alg, publicJwk, signature }: Awaited<ReturnType<AuditSigner["sign"]>>,
): Promise<void> {
  await tx
    .insertInto("audit_key")
    .values({ kid, alg, public_jwk: publicJwk, added_at: facts.atMs })
    .onConflict((conflict) => conflict.column("kid").doNothing())
    .execute();
  const { fromSeq, toSeq, count, total, hash, atMs } = facts;
  await appendAudit(deps, tx, {
    orgId,
    actor: { kind: "system", id: null },
    action: CUT_ACTION,
    target: { kind: "audit", id: orgId ?? "instance" },
    result: "success",
    detail: { from_seq: fromSeq, to_seq: toSeq, count, total, hash, at_ms: atMs, kid, signature },
  });
}

async function deleteBehind(
  { metadata }: Pick<AuditDeps, "metadata">,
  chain: string,
  toSeq: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  for (let deleted = 0; ;) {
    signal?.throwIfAborted();
    const count = await metadata.write((tx) => deleteOldest(tx, chain, toSeq, DELETE_BATCH));
    deleted += count;
    if (count < DELETE_BATCH) return deleted;
  }
}
