import type { FileResult } from "./tally.ts";

const OUTPUT_CHARS_MAX = 4000;
const REASON_CHARS_MAX = 200;

/** One line for a file that is done. */
export function lineOf(result: FileResult): string {
  const seconds = (result.durationMs / 1000).toFixed(1).padStart(6);
  return `${result.failures.length === 0 ? "ok  " : "FAIL"} ${seconds} s ${String(result.passed).padStart(5)} passed  ${result.path}`;
}

/** Everything to read at the end; the last line is `N passed, N failed, N skipped` and nothing else. */
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

/** Once more in short, where the end of a long output shows them all. */
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
