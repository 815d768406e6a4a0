/** Returns the name that was probably meant: the one with the fewest changed letters, if they are few for its length. */
export function nearest(written: string, names: Iterable<string>): string | undefined {
  const word = written.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    if (Math.abs(name.length - word.length) >= least) continue;
    const changes = distance(word, name.toLowerCase());
    if (changes < least) [best, least] = [name, changes];
  }
  return best;
}

/** Returns `; did you mean x?`, or an empty text. */
export function didYouMean(written: string, names: Iterable<string>): string | undefined {
  const name = nearest(written, names);
  return name === undefined ? undefined : `did you mean ${name}?`;
}

/** Counts the letters to insert, delete, replace or swap with the next one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
