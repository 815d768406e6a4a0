import {
  PROJECT_STATE_RULES,
  PROJECT_STATES,
  type ProjectState,
  type ProjectStateRule,
  type Scope,
} from "@mooring/contract";

/** As much of a project as says in which state it is: as `/v1/me` shows it, or as lists of projects do. */
export type WithState = { readonly archived: boolean } | { readonly archived_at: string | null };

/** The states that forbid something. */
export const LIMITED_STATES = PROJECT_STATES.filter((state) => state !== "active");

export function stateOf(project: WithState): ProjectState {
  const isArchived = "archived" in project ? project.archived : project.archived_at !== null;
  return isArchived ? "archived" : "active";
}

/** The words for the project's state; undefined: it forbids nothing. */
export function stateWordsOf(project: WithState): ProjectStateRule | undefined {
  const state = stateOf(project);
  return state === "active" ? undefined : PROJECT_STATE_RULES[state];
}

/** Since when the project is in its state; null: it is active. */
export function stateSince(project: { readonly archived_at: string | null }): string | null {
  return project.archived_at;
}

/** Why the project's state forbids a permission to everybody; undefined: it does not. */
export function whyNotByState(project: WithState, scope: Scope): string | undefined {
  const words = stateWordsOf(project);
  if (words?.forbids.includes(scope) !== true) return undefined;
  return `The project is ${words.name}: ${words.remedy.one}`;
}
