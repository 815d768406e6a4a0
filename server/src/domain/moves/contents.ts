import { createHash } from "node:crypto";
import type { Archive, ArchivedFile } from "#stores/archive/index.ts";
import type { ObjectsBeside } from "#stores/objects/index.ts";
import { CONTENT_OWNER } from "#domain/registry/index.ts";
import type { Content } from "./format.ts";
import type { BlobInfo, Row } from "./store.ts";
import type { Table } from "./tables.ts";

/** The contents that rows name, by blob. */
export class NamedContents {
  readonly #paths = new Map<string, { readonly owner: Content["owner"]; readonly path: string }>();

  note(table: Table, row: Row): void {
    const blob = row["blob_id"];
    if (typeof blob !== "string" || this.#paths.has(blob)) return;
    this.#paths.set(blob, { owner: ownerOf(table), path: pathOf(table, row, blob) });
  }

  idsOf(owner: Content["owner"]): string[] {
    return [...this.#paths].filter(([, content]) => content.owner === owner).map(([blob]) => blob);
  }

  pathOf(blob: string): string {
    return this.#paths.get(blob)?.path ?? "";
  }
}

export function ownerOf(table: Table): Content["owner"] {
  return table === "registry_blob" || table === "registry_manifest" ? "images" : "organization";
}

/** Returns the owner of a content in the object store. */
export function storedUnder(owner: Content["owner"], orgId: string): string {
  return owner === "images" ? CONTENT_OWNER : orgId;
}

function pathOf(table: Table, row: Row, blob: string): string {
  if (ownerOf(table) === "images") return `images/blobs/${String(row["digest"]).replace(":", "/")}`;
  const shard = `${blob.slice(-2)}/${blob}`;
  if (table === "webhook_body") return `events/${shard}`;
  return table === "file" || table === "trashed_file" ? `files/${shard}` : `buckets/${shard}`;
}

export interface ContentPlace {
  readonly archive: Archive;
  readonly objects: Pick<ObjectsBeside, "open">;
  readonly orgId: string;
}

/**
 * Copies a content into the archive, unless an earlier run has copied it. A content never changes, and its file exists
 * only when it is complete.
 */
export async function leaveContent(
  { archive, objects, orgId }: ContentPlace,
  { id, size, sha256 }: BlobInfo,
  at: Pick<Content, "owner" | "path">,
): Promise<ArchivedFile> {
  const { path } = at;
  const isThere = (await archive.sizeOf(path)) === size;
  if (isThere && sha256 !== null) return { path, size, sha256 };
  const reader = await objects.open(storedUnder(at.owner, orgId), id);
  if (isThere) return describeFile(path, reader.chunks());
  const file = await archive.write(path, reader.chunks());
  if (file.size !== size || (sha256 !== null && file.sha256 !== sha256))
    throw new Error(`the stored content ${id} is damaged: run mooring scrub`);
  return file;
}

/** Returns the description that the archive's file has, if it has this content. */
export async function describeFile(path: string, content: AsyncIterable<Uint8Array>): Promise<ArchivedFile> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { path, size, sha256: hash.digest("hex") };
}
