export const TYPES = ["logs", "metrics", "traces"] as const;
export type TypeName = (typeof TYPES)[number];

type Days = Readonly<Record<TypeName, number | null>>;
/** As a form has them: empty for the server's default. */
export type Draft = Readonly<Record<TypeName, string>>;

export function draftOf(days: Days): Draft {
  const text = (value: number | null): string => (value === null ? "" : String(value));
  return { logs: text(days.logs), metrics: text(days.metrics), traces: text(days.traces) };
}

/** The types whose days are others than before. */
export function changeOf(before: Days, draft: Draft): Partial<Record<TypeName, number | null>> {
  const entries = TYPES.map((type) => [type, draft[type] === "" ? null : Number(draft[type])] as const);
  return Object.fromEntries(entries.filter(([type, days]) => days !== before[type]));
}

/** The types that lose rows by a change. One that returns to the default may; the default is not known here. */
export function losesOf(effective: Days, change: Partial<Record<TypeName, number | null>>): readonly TypeName[] {
  return TYPES.filter((type) => {
    const days = change[type];
    if (days === undefined) return false;
    const present = effective[type];
    return days === null ? (present === null ? false : true) : present === null || days < present;
  });
}
