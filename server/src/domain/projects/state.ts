import {
  LIMITED_STATES,
  PROJECT_STATE_RULES,
  stateAllows,
  type LimitedState,
  type ProjectAction,
  type ProjectState,
  type ProjectStateRule,
} from "@mooring/contract";
import { Problem } from "#kernel/problem.ts";

export type { LimitedState, ProjectAction, ProjectState };

/** Returns the states that forbid an action, for the condition of a list. */
export function statesWithout(action: ProjectAction): readonly LimitedState[] {
  return LIMITED_STATES.filter((state) => !stateAllows(state, action));
}

/** Returns the problem for an action that the state of a project forbids. */
export function stateRefusal(state: ProjectState): Problem {
  const { name, effect, remedy } = ruleOf(state);
  return new Problem(codeOf(state), `The project is ${name}: ${effect}. ${capitalized(remedy.one)}.`);
}

/** @throws Problem of the state if it forbids the action, for example `project_archived` */
export function requireStateAllows({ state }: { readonly state: ProjectState }, action: ProjectAction): void {
  if (!stateAllows(state, action)) throw stateRefusal(state);
}

/** Returns the code of that problem, such as `project_archived`. An alert stores it as its fault. */
export function codeOf(state: ProjectState): `project_${LimitedState}` {
  return `project_${limited(state)}`;
}

/** The environment of projects that can have a deletion lock. */
export const LOCKABLE = "production";

interface Labelled {
  readonly deletion_lock: number;
  readonly environment: string | null;
}

/** Checks that a change keeps the label of a locked project. @throws Problem `conflict` */
export function requireLabelKept(before: Labelled, after: Labelled): void {
  if (before.deletion_lock !== 1 || after.environment === LOCKABLE) return;
  throw new Problem(
    "conflict",
    `The project has a deletion lock, so its environment stays ${LOCKABLE}. Remove the lock first.`,
  );
}

/** @throws Problem `conflict` if the project has a deletion lock */
export function refuseIfLocked({
  deletion_lock: lock,
  slug,
}: {
  readonly deletion_lock: number;
  readonly slug: string;
}): void {
  if (lock !== 1) return;
  throw new Problem(
    "conflict",
    `The project ${slug} has a deletion lock, so the project, its apps with their buckets and repositories, and its webhooks can't be deleted. An owner can remove the lock.`,
  );
}

export function ruleOf(state: ProjectState): ProjectStateRule {
  return PROJECT_STATE_RULES[limited(state)];
}

function limited(state: ProjectState): LimitedState {
  if (state === "active") throw new Error("an active project forbids nothing");
  return state;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
