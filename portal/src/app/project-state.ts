import {
  LIMITED_STATES,
  PROJECT_STATE_RULES,
  type LimitedState,
  type ProjectState,
  type ProjectStateRule,
  type Scope,
} from "@mooring/contract";

/** The state of a project as `/v1/me` shows it: `archived` and the like. */
type StateFlags = Readonly<Record<LimitedState, boolean>>;
/** The state of a project as lists of projects show it: `archived_at` and the like. */
type StateTimes = Readonly<Record<`${LimitedState}_at`, string | null>>;
/** The part of a project that shows its state. */
export type WithState = StateFlags | StateTimes;

export function stateOf(project: WithState): ProjectState {
  return LIMITED_STATES.find((state) => isIn(project, state)) ?? "active";
}

function isIn(project: Partial<StateFlags & StateTimes>, state: LimitedState): boolean {
  return project[state] ?? (project[`${state}_at`] ?? null) !== null;
}

/** Returns the words for the project's state. Undefined: it forbids nothing. */
export function stateWordsOf(project: WithState): ProjectStateRule | undefined {
  const state = stateOf(project);
  return state === "active" ? undefined : PROJECT_STATE_RULES[state];
}

/** Returns the time when the project got its state. Null: it is active. */
export function stateSince(project: StateTimes): string | null {
  const state = stateOf(project);
  return state === "active" ? null : project[`${state}_at`];
}

/** Returns why the project's state forbids a permission to everybody. Undefined: it does not. */
export function whyNotByState(project: WithState, scope: Scope): string | undefined {
  const words = stateWordsOf(project);
  if (words?.forbids.includes(scope) !== true) return undefined;
  return `The project is ${words.name}: ${words.remedy.one}`;
}
