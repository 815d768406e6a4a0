/** Each rule of access is held by a unit test: a change of any line of the decision fails one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fatesOf, mutantsOf } from "../../../../../tests/fixtures/mutants.ts";

const ROOT = new URL("../../../../../", import.meta.url);
const FILES = [
  "server/src/domain/identity/access/authorize.ts",
  "server/src/domain/identity/access/limits.ts",
  "server/src/domain/identity/access/permissions.ts",
  "contract/src/organization-states.ts",
  "contract/src/project-states.ts",
];
const TESTS = ["authorize", "limits", "permissions"].map((name) => new URL(`${name}.test.ts`, import.meta.url));
const BETWEEN = /\/domain\/(identity\/access|projects)\/[a-z-]+\.ts$|\/contract\/src\/(index|roles)\.ts$/;
const MUTANTS_MIN = 40;

/** Changes that change nothing, with the reason. Each one must survive. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  "if (highest === undefined || others.every(({ scopes }) => isWithin(scopes, highest.scopes))) return highest; -> if (highest === undefined && others.every(({ scopes }) => isWithin(scopes, highest.scopes))) return highest;":
    "the union of a set and of sets within it is that set",
};

test("a change of any rule fails a unit test", async (context) => {
  const mutants = FILES.flatMap((file) => mutantsOf(fileURLToPath(new URL(file, ROOT))));
  const startedMs = process.cpuUsage().user / 1000;
  const fates = await fatesOf(mutants, { tests: TESTS, between: BETWEEN });
  const cpuMs = Math.round(process.cpuUsage().user / 1000 - startedMs);
  const count = (fate: (typeof fates)[number]): number => fates.filter((each) => each === fate).length;
  context.diagnostic(
    `${count("killed")} killed, ${count("survived")} survive, ${count("invalid")} are not programs, ${cpuMs} ms of CPU`,
  );
  assert.ok(count("killed") >= MUTANTS_MIN, `only ${count("killed")} mutants were killed`);
  const survivors = mutants.filter((_mutant, index) => fates[index] === "survived");
  const keys = survivors.map(({ before, after }) => `${before} -> ${after}`);
  const unknown = survivors.filter((_mutant, index) => EQUIVALENT[keys[index] ?? ""] === undefined);
  const text = unknown.map(({ file, line, before, after }) => `${file}:${line}: ${before}\n    -> ${after}`);
  assert.equal(unknown.length, 0, `no test fails with these changes:\n${text.join("\n")}`);
  assert.deepEqual(
    Object.keys(EQUIVALENT).filter((key) => !keys.includes(key)),
    [],
    "entries that no change needs",
  );
});
