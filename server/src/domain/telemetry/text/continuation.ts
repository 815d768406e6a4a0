import { startsWithLevel } from "./levels.ts";

/** Matches continuation lines without indentation: the first and last lines of stack traces in common languages. */
const TRACE = new RegExp(
  `^(?:${[
    "Traceback \\(most recent call last\\)",
    "Caused by: ",
    "Suppressed: ",
    "During handling of the above exception",
    "The above exception was the direct cause",
    "\\.\\.\\. \\d+ more",
    "at [\\w.$<].*[(:]",
    "[\\w.$]{1,300}(?:Error|Exception)\\b",
    "Error: ",
    "Exception in thread ",
    "--- End of ",
    "goroutine \\d+ \\[",
    "panic: ",
    "created by ",
    "exit status \\d+$",
    // A frame in Go: main.run, main.(*server).run(0x1, 0x2)
    "(?=[^\\s.]*\\.)[\\w./*()-]{1,300}(?:\\(.*\\))?$",
    "Stack trace:",
    "#\\d+ ",
    "note: run with ",
    "[}\\])]+[,;]?$",
    "[│├└╭╰┌─]",
  ].join("|")})`,
);

/** Matches the beginning of a separate entry, for indented lines. */
const ENTRY_START = /^[[(<{]?(?:\d{2,4}[-/.:]\d|\d{6} \d|\d{10}|[A-Z][a-z]{2} +\d|\d{1,2} [A-Z][a-z]{2} )/;

/** Whether a line continues the message before it. */
export function isContinuation(line: string): boolean {
  if (/^\s/.test(line)) {
    const text = line.trimStart();
    return !ENTRY_START.test(text) && !startsWithLevel(text);
  }
  return TRACE.test(line);
}
