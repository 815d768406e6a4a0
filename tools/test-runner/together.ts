// Loads the given test files, one after another, each as a separate suite: they share a process.
import { createRequire } from "node:module";
import { relative } from "node:path";
import { describe } from "node:test";
// Before the files, and outside of their suites: what they share ends after the last of them.
import "../../tests/fixtures/process-end.ts";

// node:test does not know whose they are (untracked-promises.ts); their stack does.
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, (error) => console.error(error));

// In one go: `test` belongs to the suite that is being described when it is called.
const load = createRequire(import.meta.url);
for (const path of process.argv.slice(2)) describe(relative(process.cwd(), path), () => void load(path));
