import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import { blobRow } from "./blobs-store.ts";
import { blobPage, danglingTags, leasedAndNeeded, manifestPage, type Place } from "./check-store.ts";
import { hasher, parseDigest } from "./digest.ts";
import { parseManifest } from "./manifest.ts";
import { manifestRow, referencesOf } from "./manifests-store.ts";
import { wrongContents, wrongUsage } from "./store.ts";
import { CONTENT_OWNER, type BlobRow, type ManifestRow } from "./types.ts";

export interface RegistryFinding {
  readonly kind: "missing" | "altered" | "reference" | "tag" | "lease" | "usage";
  /** An app's id. For `usage` also an organization's id. */
  readonly where: string;
  readonly what: string;
  readonly detail: string;
}

export interface CheckOptions {
  readonly metadata: MetadataStore;
  readonly objects: Pick<ObjectStore, "open">;
  /** Checks only the sizes of blobs, and does not read their content. */
  readonly quick: boolean;
  readonly found: (finding: RegistryFinding) => void;
  readonly signal?: AbortSignal;
}

export interface Checked {
  manifests: number;
  blobs: number;
  bytes: number;
  findings: number;
}

/**
 * Checks that the content of every manifest, blob and tag exists, matches its digest, and is counted correctly. It may
 * run beside a running server: a suspected fault is checked again, and reported only if it persists. Changes nothing.
 */
export async function checkRegistry(options: CheckOptions): Promise<Checked> {
  const checked: Checked = { manifests: 0, blobs: 0, bytes: 0, findings: 0 };
  const found = (finding: RegistryFinding): void => {
    checked.findings += 1;
    options.found(finding);
  };
  const run = { ...options, found };
  await checkManifests(run, checked);
  await checkBlobs(run, checked);
  await checkRest(run);
  return checked;
}

async function checkManifests(options: CheckOptions, checked: Checked): Promise<void> {
  const { read } = options.metadata;
  for (let after: Place | undefined; ;) {
    const page = await manifestPage(read, after);
    for (const row of page) {
      options.signal?.throwIfAborted();
      const finding = await manifestFault(options, row);
      if (finding !== undefined && (await manifestRow(read, row.repository, row.digest)) !== undefined)
        options.found({ where: row.repository, what: row.digest, ...finding });
      checked.manifests += 1;
      checked.bytes += row.size;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = { repository: last.repository, key: last.digest };
  }
}

type Fault = Pick<RegistryFinding, "kind" | "detail">;

async function manifestFault({ metadata, objects }: CheckOptions, row: ManifestRow): Promise<Fault | undefined> {
  const content = await contentOf(objects, row);
  if (content instanceof Error) return { kind: "missing", detail: content.message };
  const digest = parseDigest(row.digest);
  if (digest === undefined || hasher(digest.algorithm).update(content).digest("hex") !== digest.hex)
    return { kind: "altered", detail: "the manifest's content does not match its digest" };
  const named = parseManifest(content, row.media_type).references.map((one) => one.digest);
  const recorded = (await referencesOf(metadata.read, row.repository, row.digest)).map(({ target }) => target);
  if (named.toSorted().join() !== recorded.toSorted().join())
    return { kind: "reference", detail: "the stored references differ from those in its content" };
  for (const { target, kind, size } of await referencesOf(metadata.read, row.repository, row.digest)) {
    if (kind === "foreign") continue;
    const needed = await (kind === "manifest" ? manifestRow : blobRow)(metadata.read, row.repository, target);
    if (needed?.size !== size) return { kind: "missing", detail: `it needs ${target}, which is not in the repository` };
  }
  return undefined;
}

async function contentOf(objects: CheckOptions["objects"], row: ManifestRow): Promise<Buffer | Error> {
  try {
    const reader = await objects.open(CONTENT_OWNER, row.blob_id);
    const chunks: Buffer[] = [];
    for await (const chunk of reader.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    return error as Error;
  }
}

async function checkBlobs(options: CheckOptions, checked: Checked): Promise<void> {
  const { read } = options.metadata;
  for (let after: Place | undefined; ;) {
    const page = await blobPage(read, after);
    for (const row of page) {
      options.signal?.throwIfAborted();
      const finding = await blobFault(options, row);
      if (finding !== undefined && (await blobRow(read, row.repository, row.digest)) !== undefined)
        options.found({ where: row.repository, what: row.digest, ...finding });
      checked.blobs += 1;
      checked.bytes += row.size;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = { repository: last.repository, key: last.digest };
  }
}

async function blobFault({ objects, quick }: CheckOptions, row: BlobRow): Promise<Fault | undefined> {
  const digest = parseDigest(row.digest);
  if (digest === undefined) return { kind: "altered", detail: "this is not a digest" };
  try {
    await using reader = await objects.open(CONTENT_OWNER, row.blob_id);
    if (reader.size !== row.size)
      return { kind: "missing", detail: `its content has ${reader.size} bytes, not ${row.size}` };
    if (quick) return undefined;
    const hash = hasher(digest.algorithm);
    for await (const chunk of reader.chunks()) hash.update(chunk);
    if (hash.digest("hex") === digest.hex) return undefined;
    return { kind: "altered", detail: "its content does not match its digest" };
  } catch (error) {
    return { kind: "missing", detail: (error as Error).message };
  }
}

async function checkRest({ metadata, found }: CheckOptions): Promise<void> {
  for (const { repository, name, digest } of await danglingTags(metadata.read))
    found({ kind: "tag", where: repository, what: name, detail: `it points at ${digest}, which does not exist` });
  for (const { repository, digest } of await leasedAndNeeded(metadata.read))
    found({
      kind: "lease",
      where: repository,
      what: digest,
      detail: "a manifest needs it, but it has a lease that will expire",
    });
  for (const one of await wrongUsage(metadata.read)) {
    const detail = `there are ${one.countedBytes} bytes and ${one.countedUploading} of uploads, but ${one.bytes} and ${one.uploading} are counted`;
    found({ kind: "usage", where: one.orgId, what: "counters", detail });
  }
  for (const { repository, kept, counted } of await wrongContents(metadata.read)) {
    const detail = `there are ${counted.tags} tags, ${counted.manifests} manifests and ${counted.bytes} bytes, but ${kept.tags}, ${kept.manifests} and ${kept.bytes} are counted`;
    found({ kind: "usage", where: repository, what: "counters", detail });
  }
}
