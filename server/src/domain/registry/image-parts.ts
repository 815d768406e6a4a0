import type { Reader } from "#stores/metadata/index.ts";
import { referencesOfAll } from "./images-store.ts";
import type { ManifestRow, ReferenceRow, RegistryDeps } from "./types.ts";

type Deps = Pick<RegistryDeps, "metadata">;

/** The size and the parts of a manifest. */
export interface Image {
  readonly manifest: ManifestRow;
  readonly references: readonly ReferenceRow[];
  /** Bytes that a client pulls at most: every blob and manifest below, each once. */
  readonly totalBytes: number;
  /** The size of each present manifest of an index, by digest. */
  readonly childBytes: ReadonlyMap<string, number>;
}

export async function imageOf({ metadata }: Deps, manifest: ManifestRow): Promise<Image> {
  const { repository, digest, size } = manifest;
  const parts = await walk(metadata.read, repository, [digest]);
  const references = parts.get(digest) ?? [];
  const children = references.filter(({ kind }) => kind === "manifest");
  return {
    manifest,
    references,
    totalBytes: size + weightOf(parts, digest).bytes,
    childBytes: new Map(children.map(({ target, size: own }) => [target, own + weightOf(parts, target).bytes])),
  };
}

/** An image in a list. */
export interface ImageOutline {
  /** JSON objects, each once: of an index those of its manifests, of an image the one of its config. */
  readonly platforms: readonly string[];
  /** Null: there was too much to add up. */
  readonly totalBytes: number | null;
}

/** The most platforms of an index that are returned. */
const PLATFORMS_MAX = 20;

/** Outlines of the manifests of one page of a list, by digest, in a few statements for any number. */
export async function outlinesOf(
  { metadata }: Deps,
  repository: string,
  manifests: readonly Pick<ManifestRow, "digest" | "size">[],
): Promise<ReadonlyMap<string, ImageOutline>> {
  const parts = await walk(metadata.read, repository, [...new Set(manifests.map(({ digest }) => digest))]);
  return new Map(
    manifests.map(({ digest, size }) => {
      const platforms = (parts.get(digest) ?? []).flatMap(({ platform }) => platform ?? []);
      const { bytes, isWhole } = weightOf(parts, digest);
      const outline = {
        platforms: [...new Set(platforms)].slice(0, PLATFORMS_MAX),
        totalBytes: isWhole ? size + bytes : null,
      };
      return [digest, outline];
    }),
  );
}

/** The most manifests that are read: an index may name thousands, and its indexes thousands again. */
const WALK_MAX = 2000;
/** The most references that they may have together: a manifest may name tens of thousands. */
const REFERENCES_MAX = 50_000;

type Parts = Map<string, ReferenceRow[]>;

/** The references of these manifests, and those of the named ones, level by level, within the limits. */
async function walk(read: Reader, repository: string, digests: readonly string[]): Promise<Parts> {
  const parts: Parts = new Map();
  let left = REFERENCES_MAX;
  for (let level = digests; level.length > 0;) {
    const rows = await referencesOfAll(read, repository, level, left + 1);
    if (rows.length > left) return parts;
    left -= rows.length;
    for (const digest of level) parts.set(digest, []);
    for (const row of rows) parts.get(row.manifest)?.push(row);
    const next = rows.filter(({ kind, target }) => kind === "manifest" && !parts.has(target));
    level = [...new Set(next.map(({ target }) => target))].slice(0, WALK_MAX - parts.size);
  }
  return parts;
}

/** The size of everything below a manifest, each digest once; whole when nothing below was left out. */
function weightOf(parts: Parts, digest: string): { bytes: number; isWhole: boolean } {
  const sizes = new Map<string, number>();
  const seen = new Set([digest]);
  let isWhole = true;
  for (const at of seen) {
    isWhole &&= parts.has(at);
    for (const { target, size, kind } of parts.get(at) ?? []) {
      if (kind !== "foreign") sizes.set(target, size);
      if (kind === "manifest") seen.add(target);
    }
  }
  return { bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0), isWhole };
}
