import { readLock } from "../lock/lock.ts";
import { npmComponents, npmSubject, sbomJson, type Component } from "../release/sbom.ts";
import type { DebianPackage } from "./apt.ts";

export interface Contents {
  readonly root: string;
  readonly architecture: string;
  readonly version: string;
  readonly created: string;
  readonly debian: readonly DebianPackage[];
  /** Names of the npm packages beside the program: Node and the SQL engine of this architecture. */
  readonly runtime: readonly string[];
  /**
   * Paths in the lock file: of the packages whose code the program contains, and of those that npm would install with
   * it.
   */
  readonly thirdParties: Iterable<string>;
}

/** The packages of one platform. The npm package names those of every platform, but an image has only one. */
const OF_PLATFORM = /node_modules\/(@duckdb\/|node-)/;

/** Returns the list of an image's parts: Debian's packages, Node, the SQL engine, Mooring and the code in it. */
export function sbomOf({ root, architecture, version, created, debian, runtime, thirdParties }: Contents): string {
  const lock = readLock(root);
  const bundled = [...thirdParties].filter((path) => !OF_PLATFORM.test(path));
  const npm = npmComponents(lock, [...bundled, ...runtime.map((name) => `node_modules/${name}`)]);
  const program = npmSubject("mooring", version, "application");
  const ref = `mooring-image-${version}-linux-${architecture}`;
  const subject: Component = { type: "container", "bom-ref": ref, name: "mooring", version };
  const components = [program, ...debian.map(ofDebian), ...npm.map(withRequired)];
  return sbomJson({ subject, components, atMs: Date.parse(created) });
}

function ofDebian({ name, version, architecture, sha256 }: DebianPackage): Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: "library", "bom-ref": purl, name, version, purl, hashes: [{ alg: "SHA-256", content: sha256 }] };
}

/** npm may leave out an optional package. An image has all of them. */
function withRequired(component: Component): Component {
  return { ...component, scope: "required" };
}
