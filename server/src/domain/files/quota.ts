import { limitOfShortage, shortageText, type Quota, type Shortage } from "#domain/quotas/index.ts";
import { Problem } from "#kernel/problem.ts";

/** Returns the quota of an organization's files, its trash and the reservations of uploads. */
export function fileQuota({ storedBytesMax }: { readonly storedBytesMax: number | null }): Quota {
  return { kind: "files", defaultMax: storedBytesMax, refusal: quotaExceeded };
}

/** Returns the refusal by the quota of a project. */
export function projectFull(shortage: Shortage): Problem {
  return new Problem("storage_quota_exceeded", shortageText(shortage), { facts: () => limitOfShortage(shortage) });
}

export function quotaExceeded(left: number): Problem {
  const detail = `Your organization may store ${left} more bytes of files. Delete some for good, empty the trash, or ask the operator for more.`;
  return new Problem("storage_quota_exceeded", detail);
}
