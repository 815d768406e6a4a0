import type { UsageRow } from "./store.ts";

interface Place {
  readonly orgId: string;
  /** Null: none, or not known. */
  readonly projectId: string | null;
  readonly service: string;
}

/** What a request used. */
export interface CountedUse extends Place {
  readonly refused: boolean;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** What a query read. */
export interface Scan extends Place {
  /** Empty: a person, or not known. */
  readonly credentialId: string;
  readonly bytes: number;
}

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Usage in memory since the last `take`. A request like the previous one of its sender costs one step in a map. */
export class UsageCounts {
  readonly #rows = new Map<string, UsageRow>();
  /** The row of the previous request of each sender. */
  readonly #last = new Map<string, UsageRow>();

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  /** `credentialId`: a credential or an S3 key. Empty: a person, or not known. */
  add(use: CountedUse, credentialId: string, nowMs: number): void {
    const row = this.#rowOf(use, credentialId, nowMs - (nowMs % DAY_MS));
    row.requests += 1;
    if (use.refused) row.refused += 1;
    row.bytes_in += use.bytesIn;
    row.bytes_out += use.bytesOut;
  }

  addScan(scan: Scan, nowMs: number): void {
    this.#rowOf(scan, scan.credentialId, nowMs - (nowMs % DAY_MS)).bytes_scanned += scan.bytes;
  }

  #rowOf({ orgId, projectId, service }: Place, credentialId: string, day: number): UsageRow {
    const sender = credentialId === "" ? orgId : credentialId;
    const place = projectId ?? "";
    const last = this.#last.get(sender);
    if (
      last !== undefined &&
      last.day === day &&
      last.service === service &&
      last.project_id === place &&
      last.org_id === orgId
    )
      return last;
    const key = { org_id: orgId, day, project_id: place, credential_id: credentialId, service };
    const row = this.#at(key);
    this.#last.set(sender, row);
    return row;
  }

  #at(key: UsageKey): UsageRow {
    const name = nameOf(key);
    let row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, (row = newRow(key)));
    return row;
  }

  /** Returns all counts, in the same order on every node, so that no two nodes deadlock. */
  take(): UsageRow[] {
    const rows = [...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    this.#rows.clear();
    this.#last.clear();
    return rows;
  }

  /** Adds counts again that could not be written. */
  putBack(rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const own = this.#at(row);
      for (const name of FLOWS) own[name] += row[name];
    }
  }
}

type UsageKey = Pick<UsageRow, "org_id" | "day" | "project_id" | "credential_id" | "service">;

const FLOWS = ["requests", "refused", "bytes_in", "bytes_out", "bytes_scanned"] as const;

function nameOf({ org_id, day, project_id, credential_id, service }: UsageKey): string {
  return `${org_id} ${day} ${project_id} ${credential_id} ${service}`;
}

function newRow({ org_id, day, project_id, credential_id, service }: UsageKey): UsageRow {
  const key = { org_id, day, project_id, credential_id, service };
  return { ...key, requests: 0, refused: 0, bytes_in: 0, bytes_out: 0, bytes_scanned: 0, bytes_stored: 0 };
}
