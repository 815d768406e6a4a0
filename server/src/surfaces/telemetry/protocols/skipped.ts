import type { Report } from "./parser.ts";

/** Counts values that were taken without a row, for `/metrics`. Their sender gets no error. */
export interface Skipped {
  /** Counts the figures of a parser's report. */
  count(protocol: string, report: Report | undefined): void;
  /** Returns the totals since the start. */
  all(): readonly { readonly protocol: string; readonly reason: string; readonly total: number }[];
}

export function createSkipped(): Skipped {
  const totals = new Map<string, { protocol: string; reason: string; total: number }>();
  return {
    count: (protocol, report) => {
      const reasons = (report?.["skipped"] ?? {}) as Readonly<Record<string, number>>;
      for (const [reason, count] of Object.entries(reasons)) {
        const name = `${protocol} ${reason}`;
        const known = totals.get(name) ?? { protocol, reason, total: 0 };
        totals.set(name, { ...known, total: known.total + count });
      }
    },
    all: () => [...totals.values()],
  };
}
