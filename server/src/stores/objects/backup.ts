import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { KeptFile } from "#stores/directory/index.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { blobPath, layoutOf } from "./layout.ts";

const PAGE = 1_000;

/**
 * Lists the files of an objects directory that a copied set of records needs. The caller must have stopped deletions before it
 * copied the records. Content in a bucket is not included.
 */
export async function* objectFiles(dataDir: string, records: Reader): AsyncGenerator<KeptFile> {
  const layout = layoutOf(dataDir);
  const storeId = await readFile(layout.storeId, "utf8").catch(ignoreAbsent);
  if (storeId === undefined) return;
  yield { path: relative(dataDir, layout.storeId), how: "copy", size: null, sha256: null };
  for (let after = ""; ;) {
    const page = await blobsAfter(records, storeId.trim(), after);
    for (const { id, size, sha256 } of page)
      yield { path: relative(dataDir, join(layout.blobs, blobPath(id))), how: "link", size, sha256 };
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

/** Counts the blobs that are stored outside of this directory, in a bucket. */
export async function blobsElsewhere(dataDir: string, records: Reader): Promise<number> {
  const storeId = (await readFile(layoutOf(dataDir).storeId, "utf8").catch(ignoreAbsent))?.trim() ?? "";
  const row = await records
    .selectFrom("blob")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("place", "=", "driver")
    .where("state", "=", "live")
    .where("store_id", "<>", storeId)
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

function blobsAfter(
  records: Reader,
  storeId: string,
  after: string,
): Promise<{ id: string; size: number; sha256: string | null }[]> {
  return records
    .selectFrom("blob")
    .select(["id", "size", "sha256"])
    .where("id", ">", after)
    .where("place", "=", "driver")
    .where("state", "=", "live")
    .where("store_id", "=", storeId)
    .orderBy("id")
    .limit(PAGE)
    .execute();
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
