import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { endOpenLinks } from "#domain/accounts/index.ts";
import type { Clock } from "#kernel/time.ts";
import { syncDirectory } from "#stores/directory/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** Marks a restored data directory with records of an older version. Its open links end when these are upgraded. */
const MARKER = "links-to-end";

export async function deferEndOfLinks(dataDir: string): Promise<void> {
  const handle = await open(join(dataDir, MARKER), "w", 0o600);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(dataDir);
}

/** Called when records are upgraded, before any request is answered. */
export async function endDeferredLinks(dataDir: string, metadata: MetadataStore, clock: Clock): Promise<void> {
  if (!existsSync(join(dataDir, MARKER))) return;
  await endOpenLinks({ metadata, clock });
  await rm(join(dataDir, MARKER));
  await syncDirectory(dataDir);
}
