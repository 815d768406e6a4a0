import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { PORTAL_PACKAGES } from "../../portal/build/notices.ts";
import { PROGRAMS } from "../../server/src/kernel/programs.ts";
import { readLock } from "../lock/lock.ts";
import { buildPortal } from "../portal/build.ts";
import { installedPaths } from "../release/sbom.ts";
import { bundle } from "./bundle.ts";
import { noticesPage } from "./notices.ts";
import type { PackageFile } from "./tarball.ts";
import {
  dependenciesNamed,
  fileOf,
  jsonFile,
  readManifest,
  sharedFields,
  type Manifest,
  type PackageContent,
} from "./workspace.ts";

/** DuckDB has native code, so it stays a separate package. `pg` tries to load `pg-native` and works without it. */
const EXTERNAL = [/^@duckdb\//, /^pg-native$/];

/** The package `mooring`: server, command line and portal. */
export async function serverFiles(root: string): Promise<PackageContent> {
  const entries = Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [name, `server/src/${path}`]));
  const { files, packages } = await bundle({ root, entries, platform: "node", external: EXTERNAL });
  const manifest = readManifest(root, "server");
  const portalFiles = builtPortal(root);
  return {
    version: manifest.version,
    files: [
      jsonFile("package.json", packageManifest(root)),
      ...["mooring.mjs", "node.mjs", "compile-cache.mjs"].map((name) => ({
        ...fileOf(root, `server/bin/${name}`, `bin/${name}`),
        isExecutable: name === "mooring.mjs",
      })),
      ...files.map(({ path, content }) => ({ path: `dist/${path}`, content })),
      ...portalFiles,
      ...["README.md", "LICENSE"].map((name) => fileOf(root, name)),
      { path: "THIRD_PARTY_NOTICES.md", content: noticesPage("This package", packages) },
    ],
    thirdParties: thirdPartiesOf(root, packages),
  };
}

type PublishedManifest = Record<string, unknown> & Required<Pick<Manifest, "dependencies" | "optionalDependencies">>;

function packageManifest(root: string): PublishedManifest {
  const [workspace, server] = [readManifest(root), readManifest(root, "server")];
  return {
    ...sharedFields(root, server),
    bin: { mooring: "bin/mooring.mjs" },
    imports: { "#main.ts": "./dist/mooring.js" },
    engines: workspace.engines,
    dependencies: dependenciesNamed(server, ["@duckdb/node-api"]),
    optionalDependencies: workspace.optionalDependencies ?? {},
  };
}

/** The bundled packages, those of the portal, and those that npm installs with the package. */
function thirdPartiesOf(root: string, bundled: ReadonlySet<string>): string[] {
  const portal = JSON.parse(readFileSync(join(root, "portal/dist", PORTAL_PACKAGES), "utf8")) as string[];
  const { dependencies, optionalDependencies } = packageManifest(root);
  const installed = installedPaths(readLock(root), Object.keys({ ...dependencies, ...optionalDependencies }));
  return [...[...bundled].map((path) => relative(root, path)), ...portal, ...installed];
}

function builtPortal(root: string): PackageFile[] {
  buildPortal(root);
  const directory = join(root, "portal/dist");
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("mooring-"))
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .map((path) => fileOf(root, `portal/dist/${path}`, `portal/${path}`));
}
