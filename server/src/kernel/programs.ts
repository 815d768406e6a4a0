import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The programs of the product, by the names of their bundles, with their sources below server/src. The package has the
 * bundles beside each other in dist/ (tools/package). `mooring` is the command line, the others are the threads and
 * processes that it starts.
 */
export const PROGRAMS = {
  mooring: "main.ts",
  "compaction.process": "stores/telemetry/compaction/child.ts",
  "documents.worker": "surfaces/s3/wire/documents.worker.ts",
  "encoder.worker": "surfaces/telemetry/wire/pool.worker.ts",
  "manifest.worker": "domain/registry/manifest.worker.ts",
  "query.process": "stores/telemetry/query/child/main.ts",
  "reader.process": "stores/metadata/sqlite/reader.process.ts",
  "writer.worker": "stores/metadata/sqlite/writer.worker.ts",
} as const;

export type Program = keyof typeof PROGRAMS;

/** True in the package: all code is in dist/ there, in whichever chunk the bundler puts this module. */
const IS_BUNDLED = !import.meta.url.endsWith("/kernel/programs.ts");

/** Returns the address of a program that this process starts as a thread or process. */
export function programUrl(name: Program): URL {
  return new URL(IS_BUNDLED ? `./${name}.js` : `../${PROGRAMS[name]}`, import.meta.url);
}

export function programPath(name: Program): string {
  return fileURLToPath(programUrl(name));
}

/** Files and directories that the product reads or starts: the path in the package, and in the repository. */
const RESOURCES = {
  root: ["../", "../../../"],
  launcher: ["../bin/mooring.mjs", "../../bin/mooring.mjs"],
  manifest: ["../package.json", "../../package.json"],
  portal: ["../portal", "../../../portal/dist"],
} as const;

export function resourcePath(name: keyof typeof RESOURCES): string {
  const [bundled, source] = RESOURCES[name];
  return fileURLToPath(new URL(IS_BUNDLED ? bundled : source, import.meta.url)).replace(/[/\\]$/, "");
}

/** Returns the file that an import of an installed package loads. @throws Error when it is not installed */
export function packageFile(name: string): string {
  return createRequire(import.meta.url).resolve(name);
}

/** Returns the directories of the product's code, whose paths must not appear in messages. */
export function codeDirectories(): readonly string[] {
  return [resourcePath("root"), dirname(dirname(dirname(packageFile("@duckdb/node-api"))))];
}
