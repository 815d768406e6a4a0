// Loads the given test files one after another, each as a separate suite, in one process.
import { createRequire } from "node:module";
import { relative } from "node:path";
import { describe } from "node:test";
// Loaded before the files and outside their suites, so that shared things end after the last file.
import "../../tests/fixtures/process-end.ts";

// node:test can't assign these errors to a test (untracked-promises.ts). Their stack shows the file.
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, (error) => console.error(error));

// Loads synchronously, because `test` belongs to the suite that is being described at that moment.
const load = createRequire(import.meta.url);
for (const path of process.argv.slice(2)) describe(relative(process.cwd(), path), () => void load(path));
