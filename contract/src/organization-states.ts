import { SCOPES, type Scope } from "./scopes.ts";

/**
 * The states of an organization. The operator suspends an organization: it is then `read_only` or `blocked`. `deleting`: an
 * owner or operator deleted it, and its data is deleted after the grace period.
 */
export const ORGANIZATION_STATES = ["active", "read_only", "blocked", "deleting"] as const;
export type OrganizationState = (typeof ORGANIZATION_STATES)[number];

/** A state that forbids something. */
export type SuspendedState = Exclude<OrganizationState, "active">;
export const SUSPENDED_STATES = ORGANIZATION_STATES.filter((state): state is SuspendedState => state !== "active");

/** The states that an operator sets by a suspension. */
export const SUSPENSIONS = ["read_only", "blocked"] as const;

/** The time in which a deleted organization can be kept. */
export const ORGANIZATION_GRACE_DAYS = 30;
/** The time after the deletion in which no other organization gets the slug. */
export const SLUG_RESERVED_DAYS = 90;

/** The longest reason of a suspension. */
export const SUSPENSION_REASON_CHARS_MAX = 200;

/**
 * Acts for an organization that no permission covers. `sign_in`: a credential or a person is used at all. `end_access`:
 * an act that only takes access away, or only reads. `join`: a person accepts an invitation. `keep`: an owner keeps the
 * organization that was deleted. The server's own acts: `webhooks:receive`
 * (it accepts a request to a webhook), `alerts:evaluate`, `deliver` (it sends messages and forwards events), `retain` (it
 * deletes data by time or by rule).
 */
export const ORGANIZATION_ACTS = [
  "sign_in",
  "end_access",
  "join",
  "keep",
  "webhooks:receive",
  "alerts:evaluate",
  "deliver",
  "retain",
] as const;
export type OrganizationAct = (typeof ORGANIZATION_ACTS)[number];

/** An action in an organization: under a permission, or one of the acts above. */
export type OrganizationAction = Scope | OrganizationAct;

/** The actions that a state still allows, and the texts about it. */
export interface OrganizationStateRule {
  /** Everything else is forbidden, so a new permission is forbidden until somebody decides about it. */
  readonly allows: ReadonlySet<OrganizationAction>;
  /** Continues "the organization is". */
  readonly name: string;
  readonly title: string;
  /** Continues "the organization is blocked:". */
  readonly effect: string;
}

/** The one table of what a state allows. Every surface and all background work check it with `organizationAllows`. */
export const ORGANIZATION_STATE_RULES: Readonly<Record<SuspendedState, OrganizationStateRule>> = {
  read_only: {
    allows: new Set<OrganizationAction>([
      ...SCOPES.filter((scope) => scope.endsWith(":read")),
      "registry:pull",
      "sign_in",
      "end_access",
      "retain",
    ]),
    name: "read-only",
    title: "Read-only",
    effect: "everything can be read, but nothing can be written or changed",
  },
  blocked: {
    allows: new Set<OrganizationAction>(),
    name: "blocked",
    title: "Blocked",
    effect: "nobody can use it, and its data is kept",
  },
  deleting: {
    allows: new Set<OrganizationAction>(["keep"]),
    name: "deleted",
    title: "Deleted",
    effect: `nobody can use it, and its data is deleted ${ORGANIZATION_GRACE_DAYS} days after the deletion`,
  },
};

/** Whether an organization in this state allows the action. */
export function organizationAllows(state: OrganizationState, action: OrganizationAction): boolean {
  return state === "active" || ORGANIZATION_STATE_RULES[state].allows.has(action);
}
