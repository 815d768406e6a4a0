import type { Scope } from "@mooring/contract";

/** What the state of a credential is seen from. */
export interface StateInput {
  readonly scopes: readonly Scope[];
  readonly effective_scopes: readonly Scope[];
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly revoked_with: string | null;
  readonly pending: boolean;
  readonly created_by: string;
  readonly secrets: readonly { readonly created_at: string; readonly expires_at: string | null }[];
}

export interface CredentialState {
  readonly kind: "go" | "warn" | "stop" | "none";
  readonly text: string;
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** Whether a person who made something is no longer there; unknown people (undefined) count as there. */
export function ownerLeft(createdBy: string, people: { has(id: string): boolean } | undefined): boolean {
  return people !== undefined && createdBy.startsWith("user_") && !people.has(createdBy);
}

/** The one thing about a credential that its owner should know first. */
export function stateOf(credential: StateInput, hasOwnerLeft: boolean, nowMs: number): CredentialState {
  const endsMs = credential.expires_at === null ? Infinity : Date.parse(credential.expires_at);
  if (credential.revoked_with !== null) return { kind: "stop", text: "Revoked with its parent" };
  if (credential.revoked_at !== null) return { kind: "stop", text: "Revoked" };
  if (endsMs <= nowMs) return { kind: "stop", text: "Expired" };
  if (credential.pending) return { kind: "warn", text: "Waits for approval" };
  if (hasOwnerLeft) return { kind: "stop", text: "Owner left" };
  if (credential.effective_scopes.length === 0) return { kind: "stop", text: "May do nothing" };
  if (endsMs - nowMs < SOON_DAYS * DAY_MS) {
    const days = Math.ceil((endsMs - nowMs) / DAY_MS);
    return { kind: "warn", text: days === 1 ? "Ends within a day" : `Ends within ${days} days` };
  }
  if (credential.secrets.length > 1) return { kind: "warn", text: "Two secrets" };
  if (credential.effective_scopes.length < credential.scopes.length) return { kind: "warn", text: "Cut" };
  return { kind: "go", text: "Active" };
}

/** Why scopes that were chosen do not count now. */
export function whyCut(
  scope: Scope,
  { policyScopes, hasOwnerLeft }: { readonly policyScopes: readonly Scope[] | null; readonly hasOwnerLeft: boolean },
): string {
  if (hasOwnerLeft) return "whoever made it left";
  if (policyScopes !== null && !policyScopes.includes(scope)) return "the organization's policy forbids it";
  return "whoever made it may no longer do this";
}

/** `1 d 3 h`, `2 h 5 min`, `4 min 9 s`: what is left until then; null once it is over. */
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
