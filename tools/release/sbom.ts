import { createHash } from "node:crypto";
import { exceptionOf } from "../lock/licences.ts";
import { packageNameOf, resolvePackage, type Lock } from "../lock/lock.ts";

/** The members of a CycloneDX 1.5 component that we write. */
export interface Component {
  readonly type: "application" | "container" | "library" | "operating-system";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  /** The package URL, which names the ecosystem. */
  readonly purl?: string;
  readonly scope?: "required" | "optional";
  readonly licenses?: readonly { readonly expression: string }[];
  readonly hashes?: readonly { readonly alg: "SHA-256" | "SHA-512"; readonly content: string }[];
}

export interface Sbom {
  /** What the document describes. */
  readonly subject: Component;
  readonly components: readonly Component[];
  /** The commit's time, so that the same commit gives the same bytes. */
  readonly atMs: number;
}

/** The document as JSON. Equal contents give equal bytes. */
export function sbomJson({ subject, components, atMs }: Sbom): string {
  const sorted = components.toSorted((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
  const refs = sorted.map((each) => each["bom-ref"]);
  if (new Set([subject["bom-ref"], ...refs]).size !== refs.length + 1)
    throw new Error(`cannot write the SBOM of ${subject.name}: a component is listed twice`);
  const content = {
    metadata: { timestamp: new Date(atMs).toISOString(), component: subject },
    components: sorted,
    dependencies: [{ ref: subject["bom-ref"], dependsOn: refs }, ...refs.map((ref) => ({ ref }))],
  };
  const head = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
  };
  return `${JSON.stringify({ ...head, ...content }, null, 2)}\n`;
}

/** An identifier made of the content (RFC 9562, version 8). */
function uuidOf(content: string): string {
  const hex = createHash("sha256").update(content).digest("hex");
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `${a}-${b}-${c}-${d}-${e}`;
}

/** The component of an npm package that we publish. */
export function npmSubject(name: string, version: string, type: Component["type"]): Component {
  const purl = purlOf(name, version);
  return { type, "bom-ref": purl, name, version, purl, licenses: [{ expression: "Apache-2.0" }] };
}

/** Components for the packages at these paths of the lock file, each version once. @throws Error for a path that it lacks */
export function npmComponents(lock: Lock, paths: Iterable<string>): Component[] {
  const byPurl = new Map<string, Component>();
  for (const path of paths) {
    const component = npmComponent(lock, path);
    byPurl.set(component["bom-ref"], component);
  }
  return [...byPurl.values()];
}

function npmComponent(lock: Lock, path: string): Component {
  const entry = lock.packages[path];
  const name = packageNameOf(path);
  if (entry?.version === undefined) throw new Error(`cannot write an SBOM: package-lock.json has no entry ${path}`);
  const licence = entry.license ?? exceptionOf(name)?.licence;
  const digest = /^sha512-(.+)$/.exec(entry.integrity ?? "")?.[1];
  const purl = purlOf(name, entry.version);
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version: entry.version,
    purl,
    scope: entry.optional === true || entry.devOptional === true ? "optional" : "required",
    ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] }),
  };
}

/** The package URL of an npm package: a scope's `@` is percent-encoded. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

/** Paths of the lock file that an installation of these packages brings, with those for other platforms. */
export function installedPaths(lock: Lock, names: Iterable<string>, from = ""): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string, at: string): void => {
    const path = resolvePackage(lock, at, name);
    if (path === undefined) throw new Error(`cannot write an SBOM: package-lock.json has no entry for ${name}`);
    if (found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[path] ?? {};
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) visit(each, path);
  };
  for (const name of names) visit(name, from);
  return found;
}
