/** The levels with a severity (OpenTelemetry's numbers), most severe first. Every other word is a separate level. */
export const LEVELS = [
  { id: "fatal", from: 21, to: 24 },
  { id: "error", from: 17, to: 20 },
  { id: "warn", from: 13, to: 16 },
  { id: "info", from: 9, to: 12 },
  { id: "debug", from: 5, to: 8 },
  { id: "trace", from: 1, to: 4 },
] as const;

export type LevelId = (typeof LEVELS)[number]["id"] | "other";

const WORDS: Readonly<Record<string, LevelId>> = { warning: "warn", err: "error", critical: "fatal" };

/** Returns the level for a word in a search. Null: only entries with exactly this word match. */
export function levelOfWord(word: string): (typeof LEVELS)[number] | null {
  const known = WORDS[word.toLowerCase()] ?? word.toLowerCase();
  return LEVELS.find(({ id }) => id === known) ?? null;
}

/** Returns the level in which an entry is counted. */
export function levelOf(severity: number | null): LevelId {
  return LEVELS.find(({ from, to }) => severity !== null && severity >= from && severity <= to)?.id ?? "other";
}

/** `levelOf` in SQL. */
export const LEVEL_SQL = "coalesce(severity_name, 'other')";
