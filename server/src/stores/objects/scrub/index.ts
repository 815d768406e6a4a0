import { idMs } from "#kernel/ids.ts";
import { inChunks } from "../records.ts";
import { checkBlob } from "./blob.ts";
import {
  blobPage,
  existingBlobs,
  countReferences,
  heldPage,
  wrongCount,
  isLive,
  type Held,
  type ScrubRow,
} from "./store.ts";
import type { Finding, ScrubOptions, ScrubProgress } from "./types.ts";

export type { Finding, FindingKind, ReferenceColumn, ScrubOptions, ScrubProgress } from "./types.ts";

/**
 * Checks every blob, every reference to a blob, and every stored file. It may run beside a server: it checks a
 * suspected fault again, and reports it only when it persists.
 */
export async function scrub(options: ScrubOptions): Promise<ScrubProgress> {
  const progress: ScrubProgress = { blobs: 0, bytes: 0, references: 0, stored: 0, deleted: 0, findings: 0 };
  const found = (finding: Finding): void => {
    progress.findings += 1;
    options.found(finding);
  };
  const run = { ...options, found };
  await scrubRows(run, progress);
  for (const column of options.references) await scrubReferences(run, column, progress);
  await scrubStored(run, progress);
  return progress;
}

async function scrubRows(options: ScrubOptions, progress: ScrubProgress): Promise<void> {
  const { metadata, signal } = options;
  let after = "";
  for (;;) {
    const page = await blobPage(metadata.read, after);
    for (const row of page) {
      signal?.throwIfAborted();
      await scrubRow(options, row);
      progress.blobs += 1;
      progress.bytes += row.size;
      options.progress?.(progress);
    }
    await scrubCounts(options, page);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function scrubRow(options: ScrubOptions, row: ScrubRow): Promise<void> {
  const { metadata, found } = options;
  // Between listing and reading, only the collector may have deleted it.
  const finding = await checkBlob(options, row);
  if (finding !== undefined && (await isLive(metadata.read, row.id))) found({ ...finding, orgId: row.org_id });
}

async function scrubCounts({ metadata, references, found }: ScrubOptions, page: readonly ScrubRow[]): Promise<void> {
  const held = await countReferences(
    metadata.read,
    references,
    page.map(({ id }) => id),
  );
  for (const { id, refs, org_id: orgId } of page) {
    if ((held.get(id) ?? 0) === refs) continue;
    const wrong = await wrongCount(metadata.read, references, id);
    if (wrong === undefined) continue;
    const detail = `it has ${wrong.held} references, but its row counts ${wrong.refs}`;
    found({ kind: "count", what: id, orgId, detail });
  }
}

async function scrubReferences(
  { metadata, found, signal, ...options }: ScrubOptions,
  column: ScrubOptions["references"][number],
  progress: ScrubProgress,
): Promise<void> {
  let after: Held | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const { last, rows, dangling } = await heldPage(metadata.read, column, after);
    progress.references += rows;
    options.progress?.(progress);
    for (const { id, orgId } of dangling) {
      const detail = `${column.table}.${column.column} references it, but its organization has no such blob`;
      found({ kind: "dangling", what: id, orgId, detail });
    }
    if (last === undefined) return;
    after = last;
  }
}

/**
 * Finds files without a row. A row is created before any file under its name and deleted after it, so such a file is a
 * leftover.
 */
async function scrubStored(
  { metadata, driver, found, signal, ...options }: ScrubOptions,
  progress: ScrubProgress,
): Promise<void> {
  let page: { id: string; bytes: number }[] = [];
  const settle = async (): Promise<void> => {
    for (const chunk of inChunks(page)) {
      const known = await existingBlobs(
        metadata.read,
        chunk.map(({ id }) => id),
      );
      for (const { id, bytes } of chunk) {
        if (known.has(id) || (await driver.sizeOf(id)) === undefined) continue;
        if (await deleteOrphan({ ...options, driver }, id)) {
          progress.deleted += 1;
          options.deleted?.(id, bytes);
          continue;
        }
        found({ kind: "orphan", what: id, orgId: null, detail: `${bytes} bytes that no record knows of` });
      }
    }
    page = [];
  };
  for await (const stored of driver.list()) {
    signal?.throwIfAborted();
    progress.stored += 1;
    options.progress?.(progress);
    if ("stray" in stored) {
      found({ kind: "orphan", what: stored.stray, orgId: null, detail: "it is not a file of this store" });
      continue;
    }
    if (page.push(stored) === 1000) await settle();
  }
  await settle();
}

/**
 * Deletes an orphan, except a young one: it may belong to a server whose clock differs. Returns whether it was deleted.
 */
async function deleteOrphan(
  { driver, deleteOrphansBefore }: Pick<ScrubOptions, "driver" | "deleteOrphansBefore">,
  id: string,
): Promise<boolean> {
  if (deleteOrphansBefore === undefined || idMs(id) >= deleteOrphansBefore) return false;
  const deleted = await driver.delete([{ id, complete: false }]);
  return deleted.includes(id);
}
