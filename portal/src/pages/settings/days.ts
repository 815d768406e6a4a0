export const TYPES = ["logs", "metrics", "traces"] as const;
export type TypeName = (typeof TYPES)[number];

type Days = Readonly<Record<TypeName, number | null>>;
/** The texts in the form; empty: the server's default. */
export type Draft = Readonly<Record<TypeName, string>>;

export function draftOf(days: Days): Draft {
  const text = (value: number | null): string => (value === null ? "" : String(value));
  return { logs: text(days.logs), metrics: text(days.metrics), traces: text(days.traces) };
}

/** Returns the types whose days have changed. */
export function changeOf(before: Days, draft: Draft): Partial<Record<TypeName, number | null>> {
  const entries = TYPES.map((type) => [type, draft[type] === "" ? null : Number(draft[type])] as const);
  return Object.fromEntries(entries.filter(([type, days]) => days !== before[type]));
}

/**
 * Returns the types that may lose rows by a change. A type that returns to the default is included, since the default
 * is not known here.
 */
export function losesOf(effective: Days, change: Partial<Record<TypeName, number | null>>): readonly TypeName[] {
  return TYPES.filter((type) => {
    const days = change[type];
    if (days === undefined) return false;
    const present = effective[type];
    return days === null ? (present === null ? false : true) : present === null || days < present;
  });
}
