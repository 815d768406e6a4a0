import { mkdir, rm } from "node:fs/promises";
import { createIdentity } from "#domain/identity/index.ts";
import { contentsNamed, exportOrganization, type MoveManifest, type MovePart } from "#domain/moves/index.ts";
import { systemClock } from "#kernel/time.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { openArchive } from "#stores/archive/index.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { openObjectsBeside } from "#stores/objects/index.ts";
import type { Repository } from "#stores/repository/index.ts";
import { gatherBackup, restoreRecords, type Backup, type PartName } from "../../backup/index.ts";
import { guardBeside } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { masterKeysOf } from "../../master-keys.ts";
import { stderrLog } from "../stores.ts";
import { findPart } from "./part-store.ts";

export interface ExtractOptions {
  readonly repository: Repository;
  readonly backup: Backup;
  readonly part: PartName;
  /** A new directory. */
  readonly to: string;
  /** Protects the secrets in the target. */
  readonly passphrase: string;
  readonly version: string;
  readonly signal: AbortSignal;
}

/**
 * Extracts a part of a backup as an export, which a restore then takes. The records of the backup are copied and
 * upgraded to this version, and only the needed files are read.
 * @throws Error when the backup does not have the part
 */
export async function extractPart(config: Config, options: ExtractOptions): Promise<MoveManifest> {
  const { repository, backup, to, signal } = options;
  // A data directory with the records of the backup and the needed files.
  const work = `${to}.work`;
  await mkdir(work, { recursive: true, mode: 0o700 });
  try {
    await restoreRecords(repository, backup, { dataDir: work, clock: systemClock, signal });
    const metadata = await openMetadata({ url: undefined, dataDir: work, clock: systemClock });
    try {
      return await extract(config, options, metadata, work);
    } finally {
      await metadata.close();
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function extract(
  config: Config,
  { repository, backup, part: name, to, passphrase, version, signal }: ExtractOptions,
  metadata: MetadataStore,
  work: string,
): Promise<MoveManifest> {
  const { organization, part } = await findPart(metadata.read, name);
  const wants = filesOf(organization.id, part, await contentsNamed(metadata.read, organization.id, part));
  await gatherBackup(repository, backup, work, { wants, signal });
  const clock = await guardBeside(work, metadata);
  const objects = await openObjectsBeside({ dataDir: work, metadata, clock, log: stderrLog });
  const schedule = new Schedule(systemClock);
  const common = { metadata, clock, log: stderrLog, schedule, ...masterKeysOf(config) };
  // The keys in the records of the backup need the master key of this server.
  const identity = await createIdentity({ ...common, dataDir: config.data_dir, issuer: "", audience: "" });
  const archive = await openArchive(to, () => {
    throw new Error("the target is a directory");
  });
  try {
    const deps = {
      source: { url: undefined, dataDir: work },
      metadata,
      objects,
      identity,
      clock: systemClock,
      version,
    };
    const actor = { kind: "system", id: "backup" } as const;
    const wanted = { slug: organization.slug, archive, passphrase, actor, progress: () => undefined, signal };
    return await exportOrganization(deps, { ...wanted, ...(part === undefined ? {} : { part }) });
  } finally {
    archive.close();
    await identity.stop();
    await objects.close();
  }
}

/** Returns which files of the backup the part needs. Telemetry belongs to whole organizations. */
function filesOf(orgId: string, part: MovePart | undefined, contents: ReadonlySet<string>): (path: string) => boolean {
  return (path) => {
    if (path === "objects/store-id") return true;
    const blob = /^objects\/blobs\/..\/([^/]+)$/.exec(path)?.[1];
    if (blob !== undefined) return contents.has(blob);
    if (part !== undefined || !path.startsWith("telemetry/")) return false;
    return !path.startsWith("telemetry/parquet/") || path.startsWith(`telemetry/parquet/${orgId}/`);
  };
}
