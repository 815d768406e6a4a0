import type { Reader } from "#stores/metadata/index.ts";
import { referencesOfAll } from "./images-store.ts";
import type { ManifestRow, ReferenceRow, RegistryDeps } from "./types.ts";

type Deps = Pick<RegistryDeps, "metadata">;

/** The parts of a manifest, and their sizes. */
export interface Image {
  readonly references: readonly ReferenceRow[];
  /** The most bytes that a client pulls: every blob and manifest below it, each once. */
  readonly totalBytes: number;
  /** The size of each existing manifest of an index, by digest. */
  readonly childBytes: ReadonlyMap<string, number>;
}

export async function imageOf({ metadata }: Deps, manifest: ManifestRow): Promise<Image> {
  const { repository, digest, size } = manifest;
  const parts = await walk(metadata.read, repository, [digest]);
  const references = parts.get(digest) ?? [];
  const children = references.filter(({ kind }) => kind === "manifest");
  return {
    references,
    totalBytes: size + weightOf(parts, digest).bytes,
    childBytes: new Map(children.map(({ target, size: own }) => [target, own + weightOf(parts, target).bytes])),
  };
}

/** An image in a list. */
export interface ImageOutline {
  /** JSON objects without duplicates: the platforms of an index's manifests, or the one in an image's config. */
  readonly platforms: readonly string[];
  /** Null: it has too many parts to add up. */
  readonly totalBytes: number | null;
}

/** The most platforms of an index that are returned. */
const PLATFORMS_MAX = 20;

/**
 * Returns the outlines of the manifests of one page, by digest. The number of statements does not depend on the size of
 * the page.
 */
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

/** The most manifests to read. An index may name thousands, which may name thousands again. */
const WALK_MAX = 2000;
/** The most references to read. One manifest may have tens of thousands. */
const REFERENCES_MAX = 50_000;

type Parts = Map<string, ReferenceRow[]>;

/** Reads the references of these manifests and of the manifests below them, level by level, within the limits. */
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

/** Returns the size of everything below a manifest, each digest once. `whole`: nothing was left out. */
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
