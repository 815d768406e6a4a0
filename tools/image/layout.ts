import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { tarBlocks, type TarEntry } from "../package/tar.ts";

/** Times in the layers never change, so that an unchanged layer keeps its digest from release to release. */
const MTIME_S = 499_162_500;

export const MEDIA = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Layer {
  readonly descriptor: Descriptor;
  /** Digest of the archive before it was compressed. */
  readonly diffId: string;
}

/** A file, directory or symbolic link of a layer. */
export type TreeEntry = Omit<TarEntry, "mtimeS">;

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** An OCI image layout in a directory. */
export class Layout {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(join(directory, "blobs/sha256"), { recursive: true });
  }

  /** Writes entries in the order of their paths, with the directories above them. */
  async layer(entries: readonly TreeEntry[]): Promise<Layer> {
    const sorted = withParents(entries).toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const archive = Buffer.concat([...tarBlocks(sorted.map((entry) => ({ ...entry, mtimeS: MTIME_S })))]);
    const descriptor = this.blob(await promisify(gzip)(archive, { level: 6 }), MEDIA.layer);
    return { descriptor, diffId: `sha256:${digestOf(archive)}` };
  }

  json(value: object, mediaType: string): Descriptor {
    return this.blob(Buffer.from(JSON.stringify(value)), mediaType);
  }

  blob(bytes: Uint8Array, mediaType: string): Descriptor {
    const hex = digestOf(bytes);
    writeFileSync(join(this.#directory, "blobs/sha256", hex), bytes);
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
  }

  /** Names the one image of the layout. */
  finish(image: Descriptor, name: string): void {
    const annotations = { "org.opencontainers.image.ref.name": name };
    const index = { schemaVersion: 2, mediaType: MEDIA.index, manifests: [{ ...image, annotations }] };
    writeFileSync(join(this.#directory, "index.json"), JSON.stringify(index));
    writeFileSync(join(this.#directory, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  }
}

function withParents(entries: readonly TreeEntry[]): TreeEntry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const above = path.slice(0, at);
      if (!all.has(above)) all.set(above, { path: above, kind: "directory", mode: 0o755 });
    }
  }
  return [...all.values()];
}
