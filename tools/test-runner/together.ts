// Imports the given test files, one after another, each as a separate suite: they share a process.
import { relative } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
// Before the files, and outside of their suites: what they share ends after the last of them.
import "../../tests/fixtures/process-end.ts";

for (const path of process.argv.slice(2)) {
  describe(relative(process.cwd(), path), async () => {
    await import(pathToFileURL(path).href);
  });
}
