import type { AccessItem } from "./kind.ts";

/** The fields that decide the state. */
export type StateInput = Pick<AccessItem, "state" | "expires_at" | "revoked_at" | "revoked_with" | "secrets">;

export interface AccessState {
  readonly kind: "go" | "warn" | "stop" | "none";
  readonly text: string;
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** Whether the person who created an item has left; false while the members are unknown (undefined). */
export function ownerLeft(createdBy: string, people: { has(id: string): boolean } | undefined): boolean {
  return people !== undefined && createdBy.startsWith("user_") && !people.has(createdBy);
}

/** Returns the most urgent state of an item. Its reason is `state_reason`. */
export function stateOf(item: StateInput, nowMs: number): AccessState {
  const expiresMs = item.expires_at === null ? Infinity : Date.parse(item.expires_at);
  if ((item.revoked_with ?? null) !== null) return { kind: "stop", text: "Revoked with its parent" };
  if (item.revoked_at !== null) return { kind: "stop", text: "Revoked" };
  if (expiresMs <= nowMs) return { kind: "stop", text: "Expired" };
  if (item.state === "ended") return { kind: "stop", text: "Ended with its parent" };
  if (item.state === "pending") return { kind: "warn", text: "Waits for approval" };
  if (item.state === "idle") return { kind: "stop", text: "No permission" };
  if (expiresMs - nowMs < SOON_DAYS * DAY_MS) {
    const days = Math.ceil((expiresMs - nowMs) / DAY_MS);
    return { kind: "warn", text: days === 1 ? "Expires within a day" : `Expires within ${days} days` };
  }
  if ((item.secrets?.length ?? 0) > 1) return { kind: "warn", text: "Two secrets" };
  if (item.state === "reduced") return { kind: "warn", text: "Reduced permissions" };
  return { kind: "go", text: "Active" };
}

/**
 * Whether adopting an item can help: it lost permissions, or ended with its parent. The server refuses it after a leak,
 * and for personal access tokens.
 */
export function canBeAdopted(item: Pick<AccessItem, "state" | "state_reason"> & { kind?: string }): boolean {
  if (item.kind === "personal" || item.state_reason?.includes("after a leak") === true) return false;
  const endedWithParent = item.state === "ended" && item.state_reason?.includes("with its parent") === true;
  return endedWithParent || (item.state !== "ended" && item.state !== "pending");
}

/** The time left, as `1 d 3 h`, `2 h 5 min` or `4 min 9 s`; null once it is over. */
export function countdown(until: string, nowMs: number): string | null {
  const seconds = Math.floor((Date.parse(until) - nowMs) / 1000);
  if (!(seconds > 0)) return null;
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor((seconds % 86_400) / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
