import type { MemberRole, Scope } from "@mooring/contract";
import { stateWordsOf, whyNotByState, type WithState } from "./project-state.ts";

/** The part of a person that decides their permissions. */
export interface Rights {
  readonly role: MemberRole | null;
  /** The scopes of the role in the organization. */
  readonly scopes: readonly Scope[];
  /** The projects that the person can see. */
  readonly projects: readonly ProjectRights[];
}

/** `scopes`: all that the person has in the project. */
type ProjectRights = WithState & { readonly id: string; readonly scopes: readonly Scope[] };

/** The reason on a button while the person's roles are loading. */
const UNKNOWN = "Your roles are loading";

/**
 * Returns why the person may not do something in a project, or for null in the organization itself. Undefined: they
 * may. The server decides. The portal only disables buttons, and shows the reason.
 */
export function whyNotIn(me: Rights | undefined, projectId: string | null, scope: Scope): string | undefined {
  if (me === undefined) return UNKNOWN;
  const project = me.projects.find(({ id }) => id === projectId);
  const holds = holdsIn(me, projectId, scope);
  if (!holds && projectId === null && me.projects.some((each) => holdsThere(each, scope)))
    return `Your role in the organization lacks ${scope}: choose a project where you have it`;
  if (!holds) return `Your role lacks ${scope}`;
  return project === undefined ? undefined : whyNotByState(project, scope);
}

/**
 * Whether the person's roles have a scope in a project, so that they can give it to others. The project's state does
 * not matter.
 */
export function holdsIn(me: Rights, projectId: string | null, scope: Scope): boolean {
  return me.scopes.includes(scope) || me.projects.some((each) => each.id === projectId && holdsThere(each, scope));
}

/** Returns why the person may not do something in any project or in the organization. Undefined: they may somewhere. */
export function whyNotAnywhere(me: Rights | undefined, scope: Scope): string | undefined {
  if (me === undefined) return UNKNOWN;
  if (me.scopes.includes(scope)) return undefined;
  const held = me.projects.filter((each) => holdsThere(each, scope));
  if (held.length === 0) return `Your role lacks ${scope}`;
  if (!held.every((each) => whyNotByState(each, scope) !== undefined)) return undefined;
  const words = held.map(stateWordsOf);
  const names = [...new Set(words.map((each) => each?.name))].join(" or ");
  return `Your projects are ${names}: ${words[0]?.remedy.several ?? ""}`;
}

function holdsThere({ scopes }: ProjectRights, scope: Scope): boolean {
  return scopes.includes(scope);
}
