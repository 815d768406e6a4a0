export const PASSWORD_LENGTH_MIN = 12;
const GOOD_LENGTH = 16;
const DIFFERENT_MIN = 6;
const GUESSED_FIRST = ["password", "passwort", "qwerty", "12345", "abcdef", "letmein", "iloveyou", "mooring"];

export interface PasswordHint {
  readonly kind: "none" | "warn" | "go";
  readonly text: string;
}

/**
 * Returns a hint for a password while the person types. Only the length is a rule; the rest is advice. `known`: the
 * person's name and address.
 */
export function passwordHint(password: string, known: readonly string[] = []): PasswordHint {
  const length = Array.from(password).length;
  if (length === 0)
    return { kind: "none", text: "At least 12 characters. A few words are easy to remember and hard to guess." };
  if (length < PASSWORD_LENGTH_MIN) return { kind: "none", text: `${length} of ${PASSWORD_LENGTH_MIN} characters` };
  const lower = password.toLowerCase();
  if (new Set(lower).size < DIFFERENT_MIN)
    return { kind: "warn", text: "Long enough, but easy to guess, because it repeats itself." };
  const guessed = [...GUESSED_FIRST, ...wordsOf(known)].find((word) => lower.includes(word));
  if (guessed !== undefined)
    return { kind: "warn", text: `Long enough, but “${guessed}” is one of the first guesses of an attacker.` };
  if (length < GOOD_LENGTH) return { kind: "go", text: "Long enough. A few more characters make it better." };
  return { kind: "go", text: "Good." };
}

/** Returns the parts of names and addresses that a password should not contain. */
function wordsOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((word) => Array.from(word).length >= 4);
}
