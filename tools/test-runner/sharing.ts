/**
 * Which test files share a process: starting one and loading the product takes longer than most files. The first
 * matching row counts. `alone`: the file changes or measures the whole process.
 */
const SHARING: readonly { readonly of: RegExp; readonly processes: "alone" | { readonly filesMax: number } }[] = [
  { of: /\.full\.ts$/, processes: "alone" },
  { of: /^(tools|server\/bin)\//, processes: "alone" },
  { of: /^tests\/acceptance\//, processes: { filesMax: 16 } },
  { of: /^server\/src\/stores\/telemetry\//, processes: { filesMax: 12 } },
  { of: /^server\/src\/surfaces\//, processes: { filesMax: 40 } },
  { of: /^server\/src\//, processes: { filesMax: 40 } },
  { of: /^(contract|client|portal)\//, processes: { filesMax: 60 } },
];

/** Groups the files by process, in their order. */
export function byProcess(paths: readonly string[]): string[][] {
  const groups: string[][] = [];
  const open = new Map<RegExp, string[]>();
  for (const path of paths) {
    const row = SHARING.find(({ of }) => of.test(path));
    const group = row === undefined ? undefined : open.get(row.of);
    if (
      row !== undefined &&
      row.processes !== "alone" &&
      group !== undefined &&
      group.length < row.processes.filesMax
    ) {
      group.push(path);
      continue;
    }
    const made = [path];
    groups.push(made);
    if (row !== undefined) open.set(row.of, made);
  }
  return groups;
}

/** Returns the paths in an order that depends only on the seed. */
export function shuffled(paths: readonly string[], seed: number): string[] {
  let state = seed >>> 0;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return paths
    .map((path) => ({ path, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ path }) => path);
}
