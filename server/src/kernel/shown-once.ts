/** Members of answers that are shown once and not stored in clear text. */
const SHOWN_ONCE = new Set([
  "secret",
  "client_secret",
  "secret_access_key",
  "link",
  "setup_url",
  "token",
  "webhook_url",
]);

/**
 * Renders an answer as JSON. `body` has null for members that are shown once, and `replayed: true`. `whole` has their
 * values, and is null when there are no such members.
 */
export function answerTexts(answer: unknown): { readonly body: string; readonly whole: string | null } {
  const whole = JSON.stringify(answer);
  const body = JSON.stringify(redacted(answer));
  return { body, whole: body === whole ? null : whole };
}

function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    isShown(name, member) ? null : redacted(member),
  ]);
  const hasSecret = Object.entries(value).some(([name, member]) => isShown(name, member));
  return { ...(Object.fromEntries(entries) as Record<string, unknown>), ...(hasSecret ? { replayed: true } : {}) };
}

function isShown(name: string, member: unknown): boolean {
  return SHOWN_ONCE.has(name) && typeof member === "string";
}
