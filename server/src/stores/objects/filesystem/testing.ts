import { mkdir, mkdtemp, open, readdir, rm, truncate, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestPlace } from "../testing/suite.ts";
import { blobPath, layoutOf } from "../layout.ts";
import { openTestObjects } from "../testing/store.ts";

/** Creates a data directory, with its records in it or in the database at `url`. */
export async function filesystemPlace(url?: string): Promise<TestPlace & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "mooring-objects-"));
  const { blobs, tmp } = layoutOf(path);
  const fileOf = (id: string): string => join(blobs, blobPath(id));
  return {
    path,
    open: (change) => openTestObjects(path, { ...change, ...(url === undefined ? {} : { url }) }),
    damage: async (id, how) => {
      if (how === "remove") return unlink(fileOf(id));
      if (how === "cut") return truncate(fileOf(id), 10);
      const handle = await open(fileOf(id), "r+");
      await handle.write("altered", 100);
      await handle.close();
    },
    plant: async (id) => {
      await mkdir(dirname(fileOf(id)), { recursive: true });
      await writeFile(fileOf(id), "nobody's");
    },
    temporary: () => readdir(tmp),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
