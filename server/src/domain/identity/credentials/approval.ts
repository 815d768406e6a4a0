import type { Scope } from "@mooring/contract";
import { authorize, type Resource } from "#domain/identity/access/index.ts";
import type { ActorContext } from "./actor.ts";
import { earliest, type Policy } from "./bounds.ts";
import { invalidPlace } from "./input.ts";

/** The scope of approvers, whose own credentials and keys need no approval. A permission of owners and admins alone. */
export const APPROVER_SCOPE: Scope = "members:write";

/** 1: what the actor makes there may do nothing until somebody approves it. */
export function pendingOf(policy: Policy, actor: ActorContext["actor"], resource: Resource): 0 | 1 {
  return policy.approvalRequired && !mayApprove(actor, resource) ? 1 : 0;
}

/** When something made now ends. @throws Problem `invalid_body` when that has passed, or when the policy asks for an end that is missing */
export function endOf(policy: Policy, wantedMs: number | null, nowMs: number): number | null {
  const { lifetimeMsMax } = policy;
  const expiresAtMs = earliest(wantedMs, lifetimeMsMax === null ? null : nowMs + lifetimeMsMax);
  // NaN is refused by this form: the database would store it as null, which means for ever.
  if (expiresAtMs !== null && !(expiresAtMs > nowMs)) throw invalidPlace("/expires_at", "must be in the future");
  if (expiresAtMs === null && policy.requireExpiry)
    throw invalidPlace("/expires_at", "must be given: the organization's policy asks for an end");
  return expiresAtMs;
}

export function mayApprove(actor: ActorContext["actor"], resource: Resource): boolean {
  return actor.kind === "system" || authorize(actor, APPROVER_SCOPE, resource) === "allowed";
}
