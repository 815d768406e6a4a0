import type { KnownProjects } from "#domain/organizations/index.ts";

/** The rows that a tail may show, by their project. */
export interface Seen {
  /** Equal if the same rows may be shown. */
  readonly key: string;
  /** Whether all rows of the organization may be shown. */
  readonly everything: boolean;
  /** Undefined for a project that was created later. `projectJson` is the row's member as JSON text. */
  shows(projectJson: string | undefined): boolean | undefined;
  /** Only entries of these services may be shown. Undefined: of all. */
  readonly services: ReadonlySet<string> | undefined;
}

export function seenOf({ shown, hidden, unassigned }: KnownProjects, services?: ReadonlySet<string>): Seen {
  const decided = new Map<string | undefined, boolean>([
    ...[...shown].map((id) => [JSON.stringify(id), true] as const),
    ...[...hidden].map((id) => [JSON.stringify(id), false] as const),
  ]);
  for (const none of [undefined, "null"]) decided.set(none, unassigned);
  return {
    key: JSON.stringify([unassigned, [...shown].toSorted(), services === undefined ? null : [...services].toSorted()]),
    everything: unassigned && hidden.size === 0 && services === undefined,
    services,
    // An actor that is bound to one project sees no other project, not even a new one.
    shows: (projectJson) => decided.get(projectJson) ?? (unassigned ? undefined : false),
  };
}

/** Returns the same after a new read. A project that is unknown even then is visible to nobody. */
export function settled(seen: Seen): Seen {
  return { ...seen, key: `${seen.key} settled`, shows: (projectJson) => seen.shows(projectJson) ?? false };
}
