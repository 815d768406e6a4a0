/** Senders that are packages of npm and of Python. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProgram, type LineProgram } from "./line-program.ts";

/** The directory where continuous integration installs tests/senders/npm. */
const NPM = process.env["MOORING_TEST_SENDERS"];

/** Returns the reason why a package of npm can't be used, or false. */
export function missingPackage(name: string): string | false {
  if (NPM !== undefined && existsSync(join(NPM, "node_modules", name))) return false;
  return `${name} IS NOT TESTED: MOORING_TEST_SENDERS names no directory where tests/senders/npm is installed`;
}

/** Returns the directory of the packages. */
export function npmModules(): string {
  assert.ok(NPM !== undefined);
  return join(NPM, "node_modules");
}

/** Starts a program of this folder with the packages of npm. */
export function startNode(program: string, values: Readonly<Record<string, string>>): LineProgram {
  assert.ok(NPM !== undefined);
  const path = fileURLToPath(new URL(`programs/${program}`, import.meta.url));
  return startProgram([process.execPath, path], { ...values, PACKAGES: join(NPM, "package.json") });
}

/** The interpreter with the packages of requirements.txt. */
export const PYTHON = process.env["MOORING_TEST_SENDERS_PYTHON"] ?? "python3";

/** Returns the reason why a module of Python can't be used, or false. */
export function missingPython(module: string): string | false {
  if (spawnSync(PYTHON, ["-c", `import ${module}`]).status === 0) return false;
  return `${module} IS NOT TESTED: MOORING_TEST_SENDERS_PYTHON names no Python with tests/senders/requirements.txt`;
}
