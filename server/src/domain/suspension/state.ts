import {
  organizationAllows,
  ORGANIZATION_STATE_RULES,
  type OrganizationAction,
  type OrganizationState,
  type SuspendedState,
} from "@mooring/contract";
import { Problem, type ProblemOptions } from "#kernel/problem.ts";

export type { OrganizationAction, OrganizationState, SuspendedState };

/** The state of an organization, with the operator's reason. Null: no reason was given. */
export interface Suspension {
  readonly state: OrganizationState;
  readonly reason: string | null;
}

/** The state of an organization that is not suspended. */
export const ACTIVE: Suspension = { state: "active", reason: null };

/** Returns the problem for an action that the state of an organization forbids. */
export function suspensionRefusal(
  { state, reason }: { readonly state: OrganizationState; readonly reason?: string | null | undefined },
  options: ProblemOptions = {},
): Problem {
  return new Problem(suspensionCode(state), suspensionText({ state, reason }), options);
}

/** Says that the organization is suspended, why, and whom to ask. */
export function suspensionText({
  state,
  reason,
}: {
  readonly state: OrganizationState;
  readonly reason?: string | null | undefined;
}): string {
  const { name, effect } = ORGANIZATION_STATE_RULES[suspended(state)];
  if (state === "deleting")
    return `The organization was deleted: ${effect}. Until then, an owner can keep it in the portal or with mooring organization keep, and the operator of this server can, too.`;
  const because =
    reason === undefined || reason === null ? "" : ` The operator's reason: ${reason.replace(/\.$/, "")}.`;
  return `The operator of this server has suspended the organization. It is ${name}: ${effect}.${because} Ask the operator to resume it.`;
}

/** @throws Problem of the state if it forbids the action: `organization_read_only`, `organization_blocked` */
export function requireOrganizationAllows(suspension: Suspension, action: OrganizationAction): void {
  if (!organizationAllows(suspension.state, action)) throw suspensionRefusal(suspension);
}

/** A deleted organization answers as a blocked one. */
function suspensionCode(state: OrganizationState): `organization_${Suspended}` {
  const found = suspended(state);
  return `organization_${found === "deleting" ? "blocked" : found}`;
}

type Suspended = Exclude<SuspendedState, "deleting">;

function suspended(state: OrganizationState): SuspendedState {
  if (state === "active") throw new Error("an active organization forbids nothing");
  return state;
}
