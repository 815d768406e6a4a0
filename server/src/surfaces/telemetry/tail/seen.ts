import type { KnownProjects } from "#domain/organizations/index.ts";

/** Which rows a tail may show, by their project. */
export interface Seen {
  /** Equal where the same rows may be shown. */
  readonly key: string;
  /** Whether every row of the organization may be. */
  readonly everything: boolean;
  /** Undefined for a project that was made since. `projectJson` is the row's member as JSON text. */
  shows(projectJson: string | undefined): boolean | undefined;
}

export function seenOf({ shown, hidden, unassigned }: KnownProjects): Seen {
  const decided = new Map<string | undefined, boolean>([
    ...[...shown].map((id) => [JSON.stringify(id), true] as const),
    ...[...hidden].map((id) => [JSON.stringify(id), false] as const),
  ]);
  for (const none of [undefined, "null"]) decided.set(none, unassigned);
  return {
    key: JSON.stringify([unassigned, [...shown].toSorted()]),
    everything: unassigned && hidden.size === 0,
    // An actor bound to one project sees no other one, not even a new one.
    shows: (projectJson) => decided.get(projectJson) ?? (unassigned ? undefined : false),
  };
}

/** The same after it was read again: a project that is still unknown is visible to nobody. */
export function settled(seen: Seen): Seen {
  return { ...seen, key: `${seen.key} settled`, shows: (projectJson) => seen.shows(projectJson) ?? false };
}
