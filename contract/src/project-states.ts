import type { Scope } from "./scopes.ts";

/** The states of a project. */
export const PROJECT_STATES = ["active", "archived"] as const;

export type ProjectState = (typeof PROJECT_STATES)[number];

/** The server's own acts in a project, without an actor: it accepts requests to webhooks, and evaluates alerts. */
export const UNATTENDED_ACTIONS = ["webhooks:receive", "alerts:evaluate"] as const;

/** An act in a project: under a permission, or by the server itself. */
export type ProjectAction = Scope | (typeof UNATTENDED_ACTIONS)[number];

/** A state in which something is forbidden, and the words for it. */
export interface ProjectStateRule {
  readonly forbids: readonly ProjectAction[];
  /** Continues "the project is". */
  readonly name: string;
  readonly title: string;
  /** A short description: continues "it is". */
  readonly summary: string;
  /** Continues "the project is archived:". */
  readonly effect: string;
  /** What to do about it: one project, and one of several. */
  readonly remedy: { readonly one: string; readonly several: string };
  /** Continues "the project of orgs/acme/shop is archived, so its images". */
  readonly images: string;
}

/**
 * The one table of what a state forbids. Every surface and background job asks it by `stateAllows`.
 * An archived project: nobody writes or deletes in it. Its settings, members, credentials and keys stay changeable.
 *
 * A new state needs its rule here, a column of `project` and its entry in `SINCE` (`domain/projects/store.ts`), and a code in
 * `kernel/problem.ts`. To show it: `Project` in `organization/shapes.ts`, `surfaces/organization/model.ts` and the portal's
 * `app/project-state.ts`.
 */
export const PROJECT_STATE_RULES: Readonly<Record<Exclude<ProjectState, "active">, ProjectStateRule>> = {
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
    name: "archived",
    title: "Archived",
    summary: "read-only",
    effect: "it can be read, but not changed",
    remedy: { one: "unarchive it first", several: "unarchive one first" },
    images: "can only be pulled",
  },
};

/** Whether the action may be done in a project of this state, by anybody. */
export function stateAllows(state: ProjectState, action: ProjectAction): boolean {
  return state === "active" || !PROJECT_STATE_RULES[state].forbids.includes(action);
}
