import type { FileResult } from "./tally.ts";

const OUTPUT_CHARS_MAX = 4000;
const REASON_CHARS_MAX = 200;

/** Returns the line of a finished file, and below it the lines that it printed as `figure: …`. */
export function lineOf(result: FileResult): string {
  const seconds = (result.durationMs / 1000).toFixed(1).padStart(6);
  const line = `${result.failures.length === 0 ? "ok  " : "FAIL"} ${seconds} s ${String(result.passed).padStart(5)} passed  ${result.path}`;
  const figures = [...result.output.matchAll(/^figure: (.+)$/gm)].map(([, figure]) => `        ${figure}`);
  return [line, ...figures].join("\n");
}

/** Returns the text at the end. Its last line is always `N passed, N failed, N skipped`. */
export function summaryOf(results: readonly FileResult[]): string {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failures.length, 0);
  const skipped = results.reduce((sum, result) => sum + result.skips.length, 0);
  const lines = [...results.flatMap(skipLines), ...results.flatMap(failureLines), ...results.flatMap(failureNames)];
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped`].join("\n");
}

function skipLines(result: FileResult): string[] {
  return result.skips.map((skip) => `skipped: ${result.path}: ${skip.name}: ${skip.reason}`);
}

function failureLines(result: FileResult): string[] {
  if (result.failures.length === 0) return [];
  const lines = result.failures.flatMap((failure) => [
    "",
    `FAILED ${result.path}: ${failure.name}`,
    indent(failure.detail),
  ]);
  if (result.output.trim() === "") return [...lines, ""];
  return [...lines, "", `output of ${result.path}:`, indent(tail(result.output)), ""];
}

/** Repeats the failures in short form, so that the end of a long output shows all of them. */
function failureNames(result: FileResult): string[] {
  return result.failures.map(({ name, detail }) => {
    const [reason = ""] = detail.split("\n", 1);
    return `failed: ${result.path}: ${name}: ${reason.slice(0, REASON_CHARS_MAX)}`;
  });
}

function tail(text: string): string {
  return text.length <= OUTPUT_CHARS_MAX ? text : `... ${text.slice(-OUTPUT_CHARS_MAX)}`;
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "    ");
}
