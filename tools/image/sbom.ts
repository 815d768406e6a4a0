import type { DebianPackage } from "./apt.ts";
import type { NpmPackage } from "./program.ts";

export interface Contents {
  readonly architecture: string;
  readonly version: string;
  readonly created: string;
  readonly debian: readonly DebianPackage[];
  readonly npm: readonly NpmPackage[];
}

interface Component {
  readonly type: "library" | "container";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly licenses?: readonly { readonly expression: string }[];
  readonly hashes?: readonly { readonly alg: "SHA-256" | "SHA-512"; readonly content: string }[];
}

/** The list of an image's parts, as CycloneDX 1.5: Debian's packages, Node, the SQL engine and Mooring. */
export function sbomOf({ architecture, version, created, debian, npm }: Contents): string {
  const name = `mooring-${version}-linux-${architecture}`;
  const components = [
    componentOf({ name: "mooring", version, license: "Apache-2.0" }),
    ...debian.map(ofDebian),
    ...npm.map(ofNpm),
  ];
  const subject: Component = { type: "container", "bom-ref": name, name: "mooring", version };
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { timestamp: created, component: subject },
    components,
    dependencies: [{ ref: name, dependsOn: components.map((each) => each["bom-ref"]) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function ofDebian({ name, version, architecture, sha256 }: DebianPackage): Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: "library", "bom-ref": purl, name, version, purl, hashes: [{ alg: "SHA-256", content: sha256 }] };
}

function ofNpm({ integrity, ...named }: NpmPackage): Component {
  const content = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return { ...componentOf(named), hashes: [{ alg: "SHA-512", content }] };
}

function componentOf({ name, version, license }: Omit<NpmPackage, "integrity">): Component {
  const purl = `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
  return { type: "library", "bom-ref": purl, name, version, purl, licenses: [{ expression: license }] };
}
