/**
 * Returns the dark modules of a QR code as one SVG path, with a part for each run of modules in a row: `M1 0h7v1h-7z`.
 */
export function darkPath(modules: readonly (readonly boolean[])[]): string {
  return modules
    .map((row, y) =>
      runsOf(row)
        .map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`)
        .join(""),
    )
    .join("");
}

function runsOf(row: readonly boolean[]): (readonly [x: number, width: number])[] {
  const runs: [number, number][] = [];
  row.forEach((dark, x) => {
    if (!dark) return;
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  });
  return runs;
}
