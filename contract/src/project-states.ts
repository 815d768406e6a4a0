import type { Scope } from "./scopes.ts";

/** The states of a project. */
export const PROJECT_STATES = ["active", "archived"] as const;

export type ProjectState = (typeof PROJECT_STATES)[number];

/** A state that forbids some acts. */
export type LimitedState = Exclude<ProjectState, "active">;

export const LIMITED_STATES = PROJECT_STATES.filter((state): state is LimitedState => state !== "active");

/** The server's own acts in a project, without an actor: it accepts requests to webhooks, and evaluates alerts. */
export const UNATTENDED_ACTIONS = ["webhooks:receive", "alerts:evaluate"] as const;

/** An action in a project: under a permission, or by the server itself. */
export type ProjectAction = Scope | (typeof UNATTENDED_ACTIONS)[number];

/** The acts that a state forbids, and the texts about it. */
export interface ProjectStateRule {
  readonly forbids: readonly ProjectAction[];
  /** The verbs of the audit log: `project.archive`. */
  readonly verbs: { readonly enter: string; readonly leave: string };
  /** Continues "the project is". */
  readonly name: string;
  readonly title: string;
  /** A short description: continues "it is". */
  readonly summary: string;
  /** Continues "the project is archived:". */
  readonly effect: string;
  /** Describes the time at which the state began: continues "since then". */
  readonly since: string;
  /** What to do about it: one project, and one of several. */
  readonly remedy: { readonly one: string; readonly several: string };
  /** Continues "the project of orgs/acme/shop is archived, so its images". */
  readonly images: string;
}

/**
 * The one table of what a state forbids. Every surface and background job checks it with `stateAllows`. An archived
 * project: nobody writes or deletes in it. Its settings, members, credentials and keys can still be changed.
 *
 * A new state needs its name and its rule here, and its code `project_<state>` in `kernel/problem.ts`. No migration: the
 * state's name is stored. The members of records that show it (`sealed_at` and `sealed` for a state `sealed`), the HTTP
 * status and title of its code, the actions of the audit log and the portal's words come from this table. Add the two
 * operations that begin and end it, and the portal's button.
 */
export const PROJECT_STATE_RULES: Readonly<Record<LimitedState, ProjectStateRule>> = {
  archived: {
    forbids: [
      "apps:write",
      "telemetry:write",
      "files:write",
      "files:delete",
      "registry:push",
      "registry:delete",
      "s3:write",
      "s3:delete",
      "webhooks:write",
      "webhooks:receive",
      "alerts:evaluate",
    ],
    verbs: { enter: "archive", leave: "unarchive" },
    name: "archived",
    title: "Archived",
    summary: "read-only",
    effect: "it can be read, but not changed",
    since: "nothing in it can be changed",
    remedy: { one: "unarchive it first", several: "unarchive one first" },
    images: "can only be pulled",
  },
};

/** Whether a project in this state allows the action. */
export function stateAllows(state: ProjectState, action: ProjectAction): boolean {
  return state === "active" || !PROJECT_STATE_RULES[state].forbids.includes(action);
}

/** A member for each limited state, such as `archived_at` for the suffix `_at`. */
export function forStates<Suffix extends string, T>(
  suffix: Suffix,
  valueOf: (state: LimitedState) => T,
): Record<`${LimitedState}${Suffix}`, T> {
  const members = LIMITED_STATES.map((state) => [state + suffix, valueOf(state)]);
  return Object.fromEntries(members) as Record<`${LimitedState}${Suffix}`, T>;
}
