import type { Reader } from "#stores/metadata/index.ts";
import { hashOf, type AuditRow } from "./event.ts";
import { pagesByTime } from "./store.ts";
import type { AuditFault, Finding } from "./walk.ts";

/** The action of entries that declare faults. */
export const REPAIR_ACTION = "audit.repair";
const PAGE_ROWS = 200;

/** A fault that an entry of the log declares. */
export interface Declared {
  readonly fault: AuditFault;
  readonly from: number;
  readonly to: number;
  readonly detail: string;
  /** The declaring entry and its time. */
  readonly entry: number;
  readonly atMs: number;
}

/** Returns the declarations in the entries of repairs. An entry that was edited later declares nothing. */
export async function declarationsOf(
  db: Reader,
  chain: string,
): Promise<{ readonly all: readonly Declared[]; has(finding: Finding): boolean }> {
  const all: Declared[] = [];
  const known = new Set<string>();
  for await (const rows of pagesByTime(db, chain, { action: REPAIR_ACTION }, PAGE_ROWS))
    for (const row of rows) {
      if (hashOf(row) !== row.hash) continue;
      for (const finding of findingsIn(row)) {
        known.add(nameOf(finding));
        const { fault, from, to, detail } = finding;
        all.push({ fault, from, to, detail, entry: row.seq, atMs: row.at });
      }
    }
  all.sort((a, b) => a.from - b.from);
  return { all, has: (finding) => known.has(nameOf(finding)) };
}

function nameOf({ fault, from, to, evidence }: Pick<Finding, "fault" | "from" | "to" | "evidence">): string {
  return JSON.stringify([fault, from, to, evidence]);
}

function findingsIn(row: AuditRow): Finding[] {
  const { findings } = JSON.parse(row.detail) as { findings?: Finding[] };
  return findings ?? [];
}
