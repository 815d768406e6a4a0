import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PROGRAMS } from "../../server/src/kernel/programs.ts";
import { buildPortal } from "../portal/build.ts";
import { bundle } from "./bundle.ts";
import { noticesPage } from "./notices.ts";
import type { PackageFile } from "./tarball.ts";
import { dependenciesNamed, fileOf, jsonFile, readManifest, sharedFields, type PackageContent } from "./workspace.ts";

/** DuckDB has native code, so it stays a separate package. `pg` tries to load `pg-native` and works without it. */
const EXTERNAL = [/^@duckdb\//, /^pg-native$/];

/** The package `mooring`: server, command line and portal. */
export async function serverFiles(root: string): Promise<PackageContent> {
  const entries = Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [name, `server/src/${path}`]));
  const { files, packages } = await bundle({ root, entries, platform: "node", external: EXTERNAL });
  const manifest = readManifest(root, "server");
  return {
    version: manifest.version,
    files: [
      jsonFile("package.json", packageManifest(root)),
      ...["mooring.mjs", "node.mjs", "compile-cache.mjs"].map((name) => ({
        ...fileOf(root, `server/bin/${name}`, `bin/${name}`),
        isExecutable: name === "mooring.mjs",
      })),
      ...files.map(({ path, content }) => ({ path: `dist/${path}`, content })),
      ...portalFiles(root),
      ...["README.md", "LICENSE"].map((name) => fileOf(root, name)),
      { path: "THIRD_PARTY_NOTICES.md", content: noticesPage(packages) },
    ],
  };
}

function packageManifest(root: string): object {
  const [workspace, server] = [readManifest(root), readManifest(root, "server")];
  return {
    ...sharedFields(root, server),
    bin: { mooring: "bin/mooring.mjs" },
    imports: { "#main.ts": "./dist/mooring.js" },
    engines: workspace.engines,
    dependencies: dependenciesNamed(server, ["@duckdb/node-api"]),
    optionalDependencies: workspace.optionalDependencies,
  };
}

function portalFiles(root: string): PackageFile[] {
  buildPortal(root);
  const directory = join(root, "portal/dist");
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "mooring-build.txt")
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .map((path) => fileOf(root, `portal/dist/${path}`, `portal/${path}`));
}
