import type { Rule, SourceFile } from "./files.ts";

const SURFACE_FILE = /^server\/src\/surfaces\/([^/]+)\//;
const OPERATION = /^server\/src\/surfaces\/([^/]+)\/operations\/(.+)(?<!\.(test|full))\.ts$/;

function surfacesOf(files: readonly SourceFile[]): string[] {
  return [...new Set(files.map(({ path }) => SURFACE_FILE.exec(path)?.[1]).filter((name) => name !== undefined))];
}

/** Every surface must have the same files (docs/architecture.md). */
const surfaceFiles: Rule = {
  name: "surface-files",
  check: (files) => surfacesOf(files).flatMap((name) => missingRooms(name, files)),
};

function missingRooms(name: string, files: readonly SourceFile[]): string[] {
  const folder = `server/src/surfaces/${name}/`;
  const own = files.filter(({ path }) => path.startsWith(folder));
  const missing = ["README.md", "index.ts", "routes.ts", "deps.ts"].filter(
    (file) => !own.some(({ path }) => path === folder + file),
  );
  if (!own.some(({ path }) => path.startsWith(`${folder}operations/`))) missing.push("operations/");
  const rendersErrors = own.some(
    ({ path, text }) => path === `${folder}errors.ts` || text.includes('from "#http/index.ts"'),
  );
  if (!rendersErrors) missing.push("errors.ts, or the shared renderer of #http/index.ts");
  return missing.map((file) => `${folder}: ${file} is missing`);
}

const operations: Rule = {
  name: "surface-operations",
  check: (files) =>
    files.flatMap(({ path }) => {
      const [, surface, operation] = OPERATION.exec(path) ?? [];
      if (surface === undefined || operation === undefined || operation.endsWith("/index")) return [];
      const routes = files.filter(({ path: routes }) => routes.startsWith(`server/src/surfaces/${surface}/routes`));
      const findings: string[] = [];
      if (!routes.some(({ text }) => text.includes(`"./operations/${operation}.ts"`)))
        findings.push(`${path}: routes.ts does not use it`);
      const tests = [".test.ts", ".full.ts"].map((end) => path.replace(/\.ts$/, end));
      if (!files.some((file) => tests.includes(file.path))) findings.push(`${path}: has no test beside it`);
      return findings;
    }),
};

export const SURFACE_RULES: readonly Rule[] = [surfaceFiles, operations];
