/** Waits until a condition is true. @throws Error after `timeoutMs` */
export async function until(what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${Math.round(timeoutMs / 1000)} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Reads one figure from a page in the Prometheus format, the sum over its labels; 0 if it is missing. */
export function metricIn(page: string, name: string, label = ""): number {
  const lines = page.split("\n").filter((line) => line.startsWith(name) && line.includes(label));
  return lines
    .filter((line) => /[\s{]/.test(line.charAt(name.length)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
