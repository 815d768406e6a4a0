/**
 * Which test files run together in one process: to start one and to load the product takes longer than most files do. The
 * first row that fits a path counts. `alone`: it changes the whole process, or measures it.
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

/** The files by the process that runs them, in their order. */
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

/** The paths in an order that the seed decides. */
export function shuffled(paths: readonly string[], seed: number): string[] {
  let state = seed >>> 0;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return paths
    .map((path) => ({ path, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ path }) => path);
}
