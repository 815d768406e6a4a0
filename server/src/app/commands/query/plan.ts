import { printable } from "../printable.ts";

/** A step of a plan as the server answers it. */
export interface PlanStep {
  readonly operator: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly rows?: number;
  readonly rows_scanned?: number;
  readonly elapsed_ms?: number;
  readonly children: readonly PlanStep[];
}

/** Prints a plan: each step is below the step that gets its rows. */
export function planText(plan: PlanStep | null): string {
  return plan === null ? "" : linesOf(plan, "").join("");
}

function linesOf(step: PlanStep, indent: string): string[] {
  const { operator, info, rows, rows_scanned: scanned, elapsed_ms: elapsedMs, children } = step;
  const figures = [
    ...(rows === undefined ? [] : [`${rows} rows`]),
    ...(scanned === undefined ? [] : [`${scanned} scanned`]),
    ...(elapsedMs === undefined ? [] : [`${elapsedMs} ms`]),
  ];
  const told = Object.entries(info).map(([name, value]) => `${indent}  ${name}: ${shown(value)}\n`);
  const head = `${indent}${operator}${figures.length > 0 ? ` (${figures.join(", ")})` : ""}`;
  return [`${printable(head)}\n`, ...told, ...children.flatMap((child) => linesOf(child, `${indent}    `))];
}

function shown(value: unknown): string {
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}
