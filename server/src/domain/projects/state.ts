import {
  PROJECT_STATE_RULES,
  PROJECT_STATES,
  stateAllows,
  type ProjectAction,
  type ProjectState,
} from "@mooring/contract";
import { Problem } from "#kernel/problem.ts";

export type { ProjectAction, ProjectState };

type Limited = Exclude<ProjectState, "active">;

/** In which states an action is forbidden: for the condition of a list. */
export function statesWithout(action: ProjectAction): readonly Limited[] {
  return PROJECT_STATES.filter((state): state is Limited => !stateAllows(state, action));
}

/** The answer to what the state of a project forbids. */
export function stateRefusal(state: ProjectState): Problem {
  const { name, effect, remedy } = ruleOf(state);
  return new Problem(codeOf(state), `The project is ${name}: ${effect}. ${capitalized(remedy.one)}.`);
}

/** @throws Problem of the state when it forbids the action, such as `project_archived` */
export function requireStateAllows({ state }: { readonly state: ProjectState }, action: ProjectAction): void {
  if (!stateAllows(state, action)) throw stateRefusal(state);
}

/** The problem's code, also where it is kept and not answered. */
export function codeOf(state: ProjectState): `project_${Limited}` {
  return `project_${limited(state)}`;
}

export function ruleOf(state: ProjectState): (typeof PROJECT_STATE_RULES)[Limited] {
  return PROJECT_STATE_RULES[limited(state)];
}

function limited(state: ProjectState): Limited {
  if (state === "active") throw new Error("an active project forbids nothing");
  return state;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
