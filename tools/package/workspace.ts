import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commitOf } from "../../server/src/app/build-facts.ts";
import type { PackageFile } from "./tarball.ts";

export interface PackageContent {
  readonly version: string;
  readonly files: readonly PackageFile[];
  /**
   * Paths in package-lock.json of the third parties' packages in it, and of those that are installed with it.
   */
  readonly thirdParties: readonly string[];
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The package.json of a workspace; of the root when no folder is given. */
export function readManifest(root: string, folder = "."): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}

/** Returns the fields that a published package copies from its workspace, and its commit. */
export function sharedFields(root: string, manifest: Manifest): object {
  const { name, version, description, license } = manifest;
  const gitHead = commitOf(root);
  return { name, version, description, license, type: "module", ...(gitHead === null ? {} : { gitHead }) };
}

/** Returns the named dependencies with their versions. @throws Error if the workspace lacks one */
export function dependenciesNamed(manifest: Manifest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const version = manifest.dependencies?.[name];
      if (version === undefined) throw new Error(`cannot make a package: ${manifest.name} does not depend on ${name}`);
      return [name, version];
    }),
  );
}

export function fileOf(root: string, path: string, packed = path): PackageFile {
  return { path: packed, content: readFileSync(join(root, path)) };
}

export function jsonFile(path: string, value: object): PackageFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}
