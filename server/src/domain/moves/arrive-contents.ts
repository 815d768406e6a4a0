import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { ObjectStore, StagedBlob } from "#stores/objects/index.ts";
import { storedUnder } from "./contents.ts";
import { CONTENTS, readLines, verified, type Content } from "./format.ts";
import { inParallel } from "./parallel.ts";
import type { OpenExport } from "./read.ts";
import { blobsByDigest } from "./store.ts";

const PARALLEL = 4;
/** Contents of one transaction. */
const BATCH = 64;

export interface ArrivalDeps {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
}

export interface ArrivedContent {
  readonly id: string;
  readonly size: number;
  /** Hexadecimal. It was compared with the bytes. */
  readonly sha256: string;
}

/** The contents of the export in the object store of this server. */
export interface ArrivedContents {
  /** Links the content that a row names. Returns its blob here, and its digest. @throws Error when the export lacks it */
  link(tx: Writer, owner: Content["owner"], blob: string): Promise<ArrivedContent>;
}

/**
 * Copies contents into the object store, and compares their digests. They have no references yet, so the server deletes
 * them after its grace period if the import does not continue. Contents that are there already are not copied again.
 */
export async function arriveContents(
  { metadata, objects }: ArrivalDeps,
  { archive, manifest, file, has }: OpenExport,
  { noted, signal }: { readonly noted: (bytes: number) => void; readonly signal: AbortSignal | undefined },
): Promise<ArrivedContents> {
  const orgId = manifest.organization.id;
  const present = {
    organization: await blobsByDigest(metadata.read, orgId),
    images: await blobsByDigest(metadata.read, storedUnder("images", orgId)),
  };
  const here = new Map<string, ArrivedContent>();
  const nameOf = (owner: Content["owner"], blob: string): string => `${owner} ${blob}`;
  const note = ({ owner, blob, sha256, size }: Content, id: string): void =>
    void here.set(nameOf(owner, blob), { id, sha256, size });
  const keep = async (batch: readonly { content: Content; staged: StagedBlob }[]): Promise<void> => {
    await metadata.write(async (tx) => {
      for (const { staged } of batch) {
        await objects.link(tx, staged.orgId, staged);
        await objects.unlink(tx, staged.orgId, [staged.id]);
      }
    });
    for (const { content, staged } of batch) note(content, staged.id);
  };

  const copy = async (content: Content): Promise<StagedBlob | null> => {
    const listed = file(content.path);
    if (listed.sha256 !== content.sha256 || listed.size !== content.size)
      throw new Error(`${CONTENTS} and files.ndjson differ in ${content.path}`);
    const found = present[content.owner].get(content.sha256);
    // Another organization's image must be proved by its bytes, not by its digest alone.
    if (found !== undefined && content.owner === "images")
      for await (const _chunk of verified(archive.read(content.path), listed));
    if (found !== undefined) {
      note(content, found);
      return null;
    }
    const expected = { sha256: content.sha256 };
    const limits = {
      bytesMax: content.size,
      size: content.size,
      expected,
      ...(signal === undefined ? {} : { signal }),
    };
    return objects
      .write(storedUnder(content.owner, orgId), archive.read(content.path), limits)
      .catch((error: unknown) => {
        throw new Error(`cannot import ${content.path}: ${(error as Error).message}`, { cause: error });
      });
  };

  for await (const contents of batches(has(CONTENTS) ? readLines(archive, file(CONTENTS)) : [])) {
    const staged: { content: Content; staged: StagedBlob }[] = [];
    await inParallel(PARALLEL, contents, async (content) => {
      signal?.throwIfAborted();
      const made = await copy(content);
      if (made !== null) staged.push({ content, staged: made });
      noted(content.size);
    });
    await keep(staged);
  }
  return {
    link: async (tx, owner, blob) => {
      const found = here.get(nameOf(owner, blob));
      if (found === undefined) throw new Error(`a row names the content ${blob}, which the export lacks`);
      await objects.link(tx, storedUnder(owner, orgId), found.id);
      return found;
    },
  };
}

async function* batches(contents: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<Content[]> {
  let batch: Content[] = [];
  for await (const content of contents) {
    batch.push(content as Content);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
