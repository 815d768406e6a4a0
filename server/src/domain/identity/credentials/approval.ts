import type { Scope } from "@mooring/contract";
import { authorize, type Resource } from "#domain/identity/access/index.ts";
import { earliest } from "#kernel/time.ts";
import type { ActorContext } from "./actor.ts";
import type { Policy } from "./bounds.ts";
import { invalidPlace } from "./input.ts";

/** The scope of approvers. Their own credentials and keys need no approval. Only owners and admins have it. */
export const APPROVER_SCOPE: Scope = "members:write";

/** Returns 1 if a new credential of the actor must wait for an approval. */
export function pendingOf(policy: Policy, actor: ActorContext["actor"], resource: Resource): 0 | 1 {
  return policy.approvalRequired && !mayApprove(actor, resource) ? 1 : 0;
}

/**
 * Returns the expiry of a new credential.
 * @throws Problem `invalid_body` if it has passed, or if it is missing and the policy requires it
 */
export function endOf(policy: Policy, wantedMs: number | null, nowMs: number): number | null {
  const { lifetimeMsMax } = policy;
  const expiresAtMs = earliest(wantedMs, lifetimeMsMax === null ? null : nowMs + lifetimeMsMax);
  // This form also refuses NaN. The database would store NaN as null, which means no expiry.
  if (expiresAtMs !== null && !(expiresAtMs > nowMs)) throw invalidPlace("/expires_at", "must be in the future");
  if (expiresAtMs === null && policy.requireExpiry)
    throw invalidPlace("/expires_at", "must be given, because the organization's policy requires an expiry");
  return expiresAtMs;
}

export function mayApprove(actor: ActorContext["actor"], resource: Resource): boolean {
  return actor.kind === "system" || authorize(actor, APPROVER_SCOPE, resource) === "allowed";
}
