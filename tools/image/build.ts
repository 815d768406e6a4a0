import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitOf } from "../../server/src/app/build-facts.ts";
import { baseOf } from "./base.ts";
import { imageConfig, labels } from "./config.ts";
import { Layout, MEDIA, type Descriptor, type Layer, type TreeEntry } from "./layout.ts";
import { programOf, runtimeOf } from "./program.ts";
import { sbomOf } from "./sbom.ts";

/** OCI and Debian use the same names. */
export const ARCHITECTURES = ["amd64", "arm64"];

export interface ImageOptions {
  readonly root: string;
  /** The directory in which the folder of the layout is created. */
  readonly directory: string;
  /** The directory for downloads. The caller removes it. */
  readonly work: string;
  readonly architectures: readonly string[];
}

export interface Image {
  /** The name of the layout's folder. */
  readonly name: string;
  readonly digest: string;
  readonly platforms: readonly { readonly architecture: string; readonly parts: readonly Part[] }[];
}

/** A layer, for the table of sizes. */
interface Part {
  readonly what: string;
  readonly bytes: number;
  readonly compressedBytes: number;
}

interface Facts {
  readonly version: string;
  readonly commit: string | null;
  readonly created: string;
  readonly program: readonly TreeEntry[];
  readonly thirdParties: readonly string[];
}

/** Writes an index of one image for each architecture. */
export async function buildImage(options: ImageOptions): Promise<Image> {
  const { version, entries: program, thirdParties } = await programOf(options.root);
  const facts = { version, commit: commitOf(options.root), created: commitTime(options.root), program, thirdParties };
  const name = `mooring-image-${version}`;
  rmSync(join(options.directory, name), { recursive: true, force: true });
  const layout = new Layout(join(options.directory, name));
  const built = [];
  for (const architecture of options.architectures) built.push(await platformOf(layout, architecture, facts, options));
  const index = { schemaVersion: 2, mediaType: MEDIA.index, manifests: built.map(({ manifest }) => manifest) };
  const image = layout.json(index, MEDIA.index);
  layout.finish(image, version);
  const platforms = built.map(({ parts }, at) => ({ architecture: options.architectures[at] ?? "", parts }));
  return { name, digest: image.digest, platforms };
}

async function platformOf(
  layout: Layout,
  architecture: string,
  facts: Facts,
  { root, work, directory }: ImageOptions,
): Promise<{ manifest: Descriptor; parts: Part[] }> {
  const place = join(work, architecture);
  mkdirSync(place);
  const base = baseOf(architecture, join(place, "debian"));
  const runtime = runtimeOf(root, architecture, join(place, "npm"));
  const { version, commit, created } = facts;
  const sbom = sbomOf({
    root,
    architecture,
    version,
    created,
    debian: base.packages,
    runtime: runtime.packages.map((each) => each.name),
    thirdParties: facts.thirdParties,
  });
  writeFileSync(join(directory, `mooring-image-${version}-linux-${architecture}.cdx.json`), sbom);
  const layers: (Layer & Part)[] = [];
  for (const [what, entries] of [
    ["Debian packages", base.entries],
    ["Node and DuckDB", runtime.entries],
    ["Mooring", [...facts.program, sbomFile(sbom)]],
  ] as const) {
    const layer = await layout.layer(entries);
    const bytes = entries.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
    layers.push({ ...layer, what, bytes, compressedBytes: layer.descriptor.size });
  }
  const versions = { node: versionOf(runtime.packages, /^node-/), debian: versionOf(base.packages, /^base-files$/) };
  const described = { architecture, version, commit, created, ...versions, layers };
  const manifest = layout.json(
    {
      schemaVersion: 2,
      mediaType: MEDIA.manifest,
      config: layout.json(imageConfig(described), MEDIA.config),
      layers: layers.map(({ descriptor }) => descriptor),
      annotations: labels(described),
    },
    MEDIA.manifest,
  );
  return { manifest: { ...manifest, platform: { os: "linux", architecture } }, parts: layers };
}

function sbomFile(sbom: string): TreeEntry {
  return { path: "usr/lib/mooring/sbom.cdx.json", kind: "file", mode: 0o644, content: Buffer.from(sbom) };
}

function versionOf(packages: readonly { readonly name: string; readonly version: string }[], name: RegExp): string {
  return packages.find((each) => name.test(each.name))?.version ?? "unknown";
}

/**
 * The commit's time: the same commit gives the same image. Without a repository, `SOURCE_DATE_EPOCH` gives the time.
 */
function commitTime(root: string): string {
  const { SOURCE_DATE_EPOCH: given } = process.env;
  const seconds = given ?? execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" });
  return new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
}
