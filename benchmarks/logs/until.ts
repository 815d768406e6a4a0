/** Looks again and again until something is so. @throws Error after `timeoutMs` */
export async function until(what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${Math.round(timeoutMs / 1000)} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** One figure of a page in Prometheus' form, the sum over its labels; 0 when it is not there. */
export function metricIn(page: string, name: string, label = ""): number {
  const lines = page.split("\n").filter((line) => line.startsWith(name) && line.includes(label));
  return lines
    .filter((line) => /[\s{]/.test(line.charAt(name.length)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
