import { verifyAudit } from "#domain/audit/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { scrubObjects } from "#stores/objects/index.ts";
import { guardBeside } from "../clock.ts";
import { CONTENT_COLUMNS } from "./scrub.ts";
import { listOrganizations } from "./store.ts";

/** One line for each fault, and one for each check without faults. */
export type Say = (line: string) => void;

/**
 * Checks the content of a restored data directory. It compares sizes only, because checksums were compared before.
 * Returns the number of faults.
 */
export async function checkContent(
  metadata: MetadataStore,
  dataDir: string,
  say: Say,
  signal: AbortSignal | undefined,
): Promise<number> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { findings, blobs } = await scrubObjects(
    { dataDir, metadata, clock: await guardBeside(dataDir, metadata), log },
    {
      references: CONTENT_COLUMNS,
      quick: true,
      found: ({ kind, what, detail }) => say(`${kind.padEnd(9)} ${what}: ${detail}`),
      ...(signal === undefined ? {} : { signal }),
    },
  );
  if (findings === 0) say(`ok        ${blobs} contents`);
  return findings;
}

/** Verifies the audit logs of all organizations and of the instance. Returns the number of faults. */
export async function checkAudit(metadata: MetadataStore, say: Say): Promise<number> {
  let faults = 0;
  const organizations = await listOrganizations(metadata.read);
  for (const { id, slug } of [{ id: null, slug: "instance" }, ...organizations]) {
    const verdict = await verifyAudit({ metadata }, id);
    if (verdict.ok) continue;
    faults += 1;
    say(`FAIL      audit log of ${slug}: ${verdict.detail}`);
  }
  if (faults === 0) say(`ok        audit logs of ${organizations.length} organizations and the instance`);
  return faults;
}
