/** Why a store does not take writes. These words are public: they say nothing about the machine. */
export const HEALTH_REASONS = [
  "disk_full",
  "read_only",
  "not_permitted",
  "disk_error",
  "not_answering",
  "overloaded",
  "failed",
] as const;

export type HealthReason = (typeof HEALTH_REASONS)[number];

export interface StoreHealth {
  readonly ok: boolean;
  /** For the operator. */
  readonly detail: string;
  /** Null while `ok`. */
  readonly reason: HealthReason | null;
}

/** Codes of Node, of Problems and of PostgreSQL. */
const REASONS: Readonly<Record<string, HealthReason>> = {
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EFBIG: "disk_full",
  disk_full: "disk_full",
  "53100": "disk_full",
  EROFS: "read_only",
  "25006": "read_only",
  EACCES: "not_permitted",
  EPERM: "not_permitted",
  EIO: "disk_error",
  ECONNREFUSED: "not_answering",
  ECONNRESET: "not_answering",
  ETIMEDOUT: "not_answering",
  ENOTFOUND: "not_answering",
};

/** SQLite's primary result codes. */
const SQLITE_REASONS: Readonly<Record<number, HealthReason>> = { 8: "read_only", 10: "disk_error", 13: "disk_full" };

/** Finds the reason in an error or its causes. */
export function healthReasonOf(error: unknown): HealthReason {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { code, errcode } = each as { code?: unknown; errcode?: unknown };
    const found = REASONS[String(code)] ?? (typeof errcode === "number" ? SQLITE_REASONS[errcode & 0xff] : undefined);
    if (found !== undefined) return found;
  }
  return error instanceof Error && (error as { code?: unknown }).code === "unavailable" ? "not_answering" : "failed";
}
