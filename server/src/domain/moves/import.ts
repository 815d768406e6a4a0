import { appendAudit, verifyAudit, type AuditEvent } from "#domain/audit/index.ts";
import { adoptLookups, insertAdopted, type Identity } from "#domain/identity/index.ts";
import { isReservedSlug } from "#domain/organizations/index.ts";
import { readSuspension, type OrganizationState } from "#domain/suspension/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { ArrivedTelemetry, ArrivingFile, MovedRow } from "#stores/telemetry/index.ts";
import { arriveContents } from "./arrive-contents.ts";
import { arriveRows } from "./arrive-rows.ts";
import { SLUG } from "./checks.ts";
import { readJson, readLines, SECRETS, TELEMETRY, verified, type MoveManifest } from "./format.ts";
import { openMoveKey, type MoveKey, type WrappedKey } from "./passphrase.ts";
import { arrivingPeople } from "./people.ts";
import type { MoveProgress } from "./progress.ts";
import { openExport, type OpenExport } from "./read.ts";
import { lastMigration, lockImport, organizationLike } from "./store.ts";

export interface ImportDeps {
  /** Copies Parquet files to their places: in a directory that no server has open, or in this server. */
  readonly arriveTelemetry: (
    orgId: string,
    files: readonly ArrivingFile[],
    copied: (file: ArrivingFile) => void,
  ) => Promise<ArrivedTelemetry>;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly identity: Pick<Identity, "envelope" | "ring">;
  readonly clock: Clock;
}

export interface ImportOptions {
  readonly archive: Archive;
  /** The slug on this server. Null: as in the export. */
  readonly slug: string | null;
  readonly passphrase: string | null;
  readonly actor: AuditEvent["actor"];
  readonly progress: (progress: MoveProgress) => void;
  /** Set when the archive is from a backup of this server. */
  readonly restored?: Restored;
  readonly signal?: AbortSignal;
}

/** How rows of a backup return. */
export interface Restored {
  readonly backup: string;
  /** Credentials and S3 keys return revoked, unless somebody asked to keep them. */
  readonly keepsCredentials: boolean;
}

export interface ImportedOrganization {
  readonly manifest: MoveManifest;
  readonly slug: string;
  /** Whether secrets work as before. */
  readonly secrets: boolean;
  /** Addresses of people that have another account here. */
  readonly unclaimed: readonly string[];
  /** As on the old server: an import does not end a suspension. */
  readonly state: OrganizationState;
}

/**
 * Imports an organization into a data directory that no server has open. Contents and telemetry are copied first. Then
 * one transaction inserts all rows: before its commit, nothing of the organization is visible. After an interruption, a
 * further call copies only the missing ones.
 * @throws Error when the export is not complete, or this server has the organization
 */
export async function importOrganization(deps: ImportDeps, options: ImportOptions): Promise<ImportedOrganization> {
  const { metadata, identity, clock } = deps;
  const from = await openExport(options.archive);
  const { manifest } = from;
  if (manifest.part !== undefined) throw new Error("this is only a part of an organization: only a restore takes it");
  const slug = options.slug ?? manifest.organization.slug;
  if (!SLUG.test(slug)) throw new Error(`${slug} is not a slug: use lower-case letters, digits and hyphens`);
  await requireSameSchema(metadata, manifest);
  await requireAbsent({ metadata, clock }, { id: manifest.organization.id, slug });
  const secrets = options.passphrase === null ? null : await openSecrets(from, options.passphrase);
  const people = await arrivingPeople(metadata, from);
  const progress = progressOf(from, options);
  const contents = await arriveContents(deps, from, { noted: progress, signal: options.signal });
  const files = await telemetryFiles(from);
  const telemetry = await deps.arriveTelemetry(manifest.organization.id, files, (file) => {
    options.signal?.throwIfAborted();
    progress(file.row.bytes);
  });
  try {
    const key = secrets?.key ?? null;
    const lookups = await adoptLookups(identity.ring, secrets?.lookups ?? []);
    await metadata.write(async (tx) => {
      await lockImport(metadata, tx);
      await requireAbsent({ metadata: { read: tx }, clock }, { id: manifest.organization.id, slug });
      await insertAdopted(tx, lookups);
      const revokes = options.restored?.keepsCredentials === false;
      await arriveRows(tx, { from, slug, identity, key, contents, people, clock, revokes });
      await telemetry.insert(tx);
      await requireWholeAudit(tx, manifest);
      await appendAudit({ metadata, clock }, tx, importedEvent(options, manifest, slug));
    });
    await telemetry.finish();
    const { state } = await readSuspension(metadata.read, manifest.organization.id);
    return { manifest, slug, secrets: key !== null, unclaimed: [...people.unclaimed.values()].toSorted(), state };
  } finally {
    telemetry.release();
  }
}

/** The entries keep their numbers and hashes, so the log must verify as on the old server, up to the same entry. */
async function requireWholeAudit(tx: Writer, { organization, audit_head: head }: MoveManifest): Promise<void> {
  const verdict = await verifyAudit({ metadata: { read: tx } }, organization.id);
  if (!verdict.ok)
    throw new Error(
      `the audit log of the export is not intact: ${verdict.detail} If it is the same on the old server, run mooring audit repair there, and export again`,
    );
  if (verdict.headHash !== head?.hash)
    throw new Error("the audit log ends with another entry than its manifest names: the export was altered");
}

function importedEvent({ actor, restored }: ImportOptions, manifest: MoveManifest, slug: string): AuditEvent {
  const { id } = manifest.organization;
  const { seq = 0, hash = null } = manifest.audit_head ?? {};
  const detail = { slug, records_at: manifest.records_at, files_sha256: manifest.files_sha256, seq, hash };
  const event = { orgId: id, actor, target: { kind: "organization", id }, result: "success" } as const;
  if (restored === undefined) return { ...event, action: "organization.import", detail };
  const { backup, keepsCredentials } = restored;
  return {
    ...event,
    action: "organization.restore",
    detail: { ...detail, backup, keeps_credentials: keepsCredentials },
  };
}

export async function requireSameSchema({ read }: Pick<MetadataStore, "read">, manifest: MoveManifest): Promise<void> {
  if ((await lastMigration(read)) === manifest.schema) return;
  throw new Error(
    `the export was made by version ${manifest.version}, whose records differ from those of this version: upgrade both servers to the same version, and export again`,
  );
}

async function requireAbsent(
  { metadata: { read }, clock }: { readonly metadata: Pick<MetadataStore, "read">; readonly clock: Clock },
  wanted: { readonly id: string; readonly slug: string },
): Promise<void> {
  const found = await organizationLike(read, wanted);
  if (await isReservedSlug(read, wanted.slug, clock.nowMs(), wanted.id))
    throw new Error(`${wanted.slug} is the former slug of another organization: choose another one with --as SLUG`);
  if (found === undefined) return;
  if (found.id === wanted.id) throw new Error(`the organization is on this server already, as ${found.slug}`);
  throw new Error(`another organization has the slug ${wanted.slug}: choose another one with --as SLUG`);
}

/** Each one makes every look-up of an old secret slower, for all organizations. */
const LOOKUPS_MAX = 64;

interface OpenSecrets {
  readonly key: MoveKey;
  readonly lookups: readonly { readonly id: string; readonly purpose: string; readonly bytes: Buffer }[];
}

export async function openSecrets(from: OpenExport, passphrase: string): Promise<OpenSecrets> {
  if (!from.has(SECRETS)) throw new Error("the export has no secrets: leave out --passphrase-file, or export with it");
  const listed = from.file(SECRETS);
  for await (const _chunk of verified(from.archive.read(SECRETS), listed));
  const { lookup, ...wrapped } = (await readJson(from.archive, SECRETS)) as WrappedKey & {
    lookup: readonly { id: string; purpose: string; key: string }[];
  };
  if (lookup.length > LOOKUPS_MAX) throw new Error(`${SECRETS} has too many keys`);
  const key = await openMoveKey(passphrase, wrapped);
  const lookups = lookup.map(({ id, purpose, key: sealed }) => ({
    id,
    purpose,
    bytes: key.open(`lookup ${purpose} ${id}`, sealed),
  }));
  return { key, lookups };
}

async function telemetryFiles({ archive, file }: OpenExport): Promise<ArrivingFile[]> {
  const files: ArrivingFile[] = [];
  for await (const value of readLines(archive, file(TELEMETRY))) {
    const { path, sha256, ...row } = value as MovedRow & { path: string; sha256: string };
    if (file(path).sha256 !== sha256) throw new Error(`${TELEMETRY} and files.ndjson differ in ${path}`);
    files.push({ row, sha256, read: () => archive.read(path) });
  }
  return files;
}

export function progressOf(
  { manifest }: OpenExport,
  { progress }: Pick<ImportOptions, "progress">,
): (bytes: number) => void {
  let [done, sum] = [0, 0];
  const telemetry = Object.keys(manifest.telemetry).length;
  return (bytes) => {
    done += 1;
    sum += bytes;
    progress({ done, total: Math.max(done, manifest.contents + telemetry), bytes: sum });
  };
}
