export interface Choice {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly does: () => void;
}

/**
 * Returns the choices that contain the letters in this order. First are choices that begin with the text, then choices
 * that contain it as a whole.
 */
export function matching<C extends Pick<Choice, "title" | "kind">>(choices: readonly C[], text: string): readonly C[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return choices;
  const rank = ({ title, kind }: C): number => {
    const name = `${title} ${kind}`.toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    return holdsInOrder(name, wanted) ? 2 : 3;
  };
  return choices
    .map((choice) => [rank(choice), choice] as const)
    .filter(([place]) => place < 3)
    .toSorted(([a], [b]) => a - b)
    .map(([, choice]) => choice);
}

function holdsInOrder(name: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = name.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}
