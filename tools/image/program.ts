import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readLock } from "../lock/lock.ts";
import { serverFiles } from "../package/server.ts";
import type { PackageFile } from "../package/tarball.ts";
import type { TreeEntry } from "./layout.ts";
import { runTool } from "./run-tool.ts";
import { below, link, treeOf } from "./tree.ts";

/** Where the program is in the image. */
const HOME = "usr/lib/mooring";

/** An npm package in the image. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
}

/** Node and the SQL engine. They have a separate layer, because they change seldom. */
export interface Runtime {
  readonly entries: readonly TreeEntry[];
  readonly packages: readonly NpmPackage[];
}

const CPU: Readonly<Record<string, string>> = { amd64: "x64", arm64: "arm64" };

/** Downloads Node and the engine for an architecture and compares them with the lock file. */
export function runtimeOf(root: string, architecture: string, directory: string): Runtime {
  const cpu = CPU[architecture] ?? "";
  const names = ["@duckdb/node-api", "@duckdb/node-bindings", `@duckdb/node-bindings-linux-${cpu}`];
  const engine = names.map((name) => unpacked(root, name, directory));
  const node = unpacked(root, `node-linux-${cpu}`, directory);
  const bin = node.entries
    .filter(({ path }) => path === "bin/node" || path === "LICENSE")
    .map((entry) => ({
      ...entry,
      path: entry.path === "bin/node" ? "usr/bin/node" : "usr/share/doc/nodejs/copyright",
    }));
  return {
    entries: [...bin, ...engine.flatMap(({ entries, npm }) => below(entries, `${HOME}/node_modules/${npm.name}`))],
    packages: [...engine, node].map(({ npm }) => npm),
  };
}

export interface Program {
  readonly version: string;
  readonly entries: readonly TreeEntry[];
  /**
   * Paths in the lock file: of the packages whose code the program contains, and of those that npm installs with it.
   */
  readonly thirdParties: readonly string[];
}

/** The package `mooring` itself. */
export async function programOf(root: string): Promise<Program> {
  const { version, files, thirdParties } = await serverFiles(root);
  const entries = below(files.map(entryOf), HOME);
  return { version, thirdParties, entries: [...entries, link("usr/bin/mooring", `../lib/mooring/bin/mooring.mjs`)] };
}

function entryOf({ path, content, isExecutable = false }: PackageFile): TreeEntry {
  return { path, kind: "file", mode: isExecutable ? 0o755 : 0o644, content: Buffer.from(content) };
}

function unpacked(root: string, name: string, directory: string): { npm: NpmPackage; entries: TreeEntry[] } {
  const { version, integrity } = readLock(root).packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`cannot check ${name}: package-lock.json has no version or integrity for it`);
  const target = join(directory, name.replace("/", "-"));
  mkdirSync(target, { recursive: true });
  const words = ["pack", `${name}@${version}`, "--json", "--prefer-offline", "--ignore-scripts"];
  const [packed] = JSON.parse(runTool("npm", words, { cwd: target }).toString()) as { filename: string }[];
  const file = join(target, packed?.filename ?? "");
  const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  if (found !== integrity) throw new Error(`${name}@${version} differs from package-lock.json: ${found}`);
  runTool("tar", ["--extract", "--gzip", "--no-same-owner", "--file", file], { cwd: target });
  return { npm: { name, version }, entries: treeOf(join(target, "package")) };
}
