import { parseArgs } from "node:util";

export interface Options {
  readonly entries: number;
  readonly seed: number;
  /** Path of the peer's binary. */
  readonly victorialogs: string | undefined;
  /** Directory for all files of the run. It needs about 1.5 KiB for each entry. */
  readonly dir: string | undefined;
}

const ENTRIES_DEFAULT = 1_000_000;

/** @throws Error when an argument can't be read */
export function readOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { entries: { type: "string" }, seed: { type: "string" }, dir: { type: "string" } },
  });
  const whole = (name: "entries" | "seed", otherwise: number): number => {
    const figure = Number(values[name] ?? otherwise);
    if (!Number.isInteger(figure) || figure < 1) throw new Error(`cannot read --${name}: it must be a whole number`);
    return figure;
  };
  return {
    entries: whole("entries", ENTRIES_DEFAULT),
    seed: whole("seed", 1),
    victorialogs: environment["MOORING_BENCH_VICTORIALOGS"],
    dir: values.dir,
  };
}
