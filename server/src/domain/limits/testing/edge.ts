import assert from "node:assert/strict";
import type { RecordLimit, RecordLimits } from "#kernel/record-limits.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

export interface Tried {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** The most existing rows that it looks for. */
const EXISTING_MAX = 20;

/** Lowers a limit and creates: expects none at 0, the last one that fits, none past it, and one more after the limit was raised. */
export async function goPastLimit(
  metadata: Pick<MetadataStore, "limits">,
  limit: RecordLimit,
  create: (n: number) => Promise<Tried>,
): Promise<void> {
  const limits = metadata.limits as { -readonly [N in keyof RecordLimits]: number };
  const usual = limits[limit];
  try {
    limits[limit] = 0;
    let tried = await create(1);
    requireRefused(tried, limit);
    // Finds the number of existing rows: raises the limit until one more fits.
    while (tried.status === 409 && limits[limit] < EXISTING_MAX) {
      limits[limit] += 1;
      tried = await create(2);
    }
    requireMade(tried);
    requireRefused(await create(3), limit);
    limits[limit] += 1;
    requireMade(await create(3));
  } finally {
    limits[limit] = usual;
  }
}

function requireMade({ status, json }: Tried): void {
  assert.ok(status >= 200 && status < 300, JSON.stringify(json));
}

function requireRefused({ status, json }: Tried, limit: RecordLimit): void {
  assert.deepEqual([status, json["code"]], [409, "limit_reached"], JSON.stringify(json));
  assert.match(String(json["detail"]), new RegExp(`\\b${limit}\\b`));
}
