/** How long a token may live, in days; null: it does not end by itself. */
export const LIFETIMES = [7, 30, 90, 365, null] as const;
export type Lifetime = (typeof LIFETIMES)[number];

const DAY_MS = 24 * 60 * 60_000;

export function expiryOf(days: Lifetime, now: Date): string | null {
  return days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString();
}

/**
 * One line, so that a paste does not run on into the question: it reads the token without showing it, and hands it to docker
 * by its standard input. Neither the shell's history nor the list of processes has it.
 */
export function dockerLogin(registry: string, email: string): string {
  return `read -rs TOKEN && printf %s "$TOKEN" | docker login ${registry} -u ${quoted(email)} --password-stdin`;
}

/** For a shell, where it is more than plain letters. */
function quoted(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
