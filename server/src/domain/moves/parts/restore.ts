import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { restoreFileRow, type FileRow, type FilesDeps } from "#domain/files/index.ts";
import { adoptLookups, insertAdopted } from "#domain/identity/index.ts";
import { organizationById } from "#domain/organizations/index.ts";
import type { RestoredVersion } from "#domain/s3/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { arriveContents, type ArrivedContents } from "../arrive-contents.ts";
import { arriveRows } from "../arrive-rows.ts";
import { validateRow } from "../checks.ts";
import { readLines, recordsPath } from "../format.ts";
import {
  openSecrets,
  progressOf,
  requireSameSchema,
  type ImportDeps,
  type ImportOptions,
  type Restored,
} from "../import.ts";
import type { MovePart } from "./part.ts";
import type { ArrivingPeople } from "../people.ts";
import { openExport, type OpenExport } from "../read.ts";
import { bucketHere, countProject, namesHere, nameTaken, objectsHere } from "./store.ts";
import { arrivingRow } from "../rows.ts";
import { lockImport, type Row } from "../store.ts";
import { MOVED_TABLES, type MovedTable } from "../tables.ts";

export interface RestoreDeps extends Omit<ImportDeps, "arriveTelemetry"> {
  readonly files: Pick<FilesDeps, "settings">;
  /** Writes a version of an object through the gateway's rules. */
  readonly restoreVersion: (tx: Writer, version: RestoredVersion) => Promise<void>;
}

export interface RestoreOptions extends Pick<ImportOptions, "archive" | "actor" | "progress"> {
  readonly passphrase: string;
  readonly restored: Restored;
  readonly signal?: AbortSignal;
}

export interface RestoredPart {
  readonly part: MovePart;
  /** The id of the restored object. A file whose id is taken gets another one. */
  readonly id: string;
  /** Rows of a project, objects of a bucket, or 1. */
  readonly restored: number;
  /** Objects that are in the bucket already, as they were. */
  readonly unchanged: number;
}

/** A part whose contents are in the object store. */
interface Arrived {
  readonly deps: RestoreDeps;
  readonly options: RestoreOptions;
  readonly from: OpenExport;
  readonly part: MovePart;
  readonly orgId: string;
  readonly contents: ArrivedContents;
  readonly secrets: Awaited<ReturnType<typeof openSecrets>>;
}

/**
 * Restores a project, a bucket or a file of a backup into its organization, while the server runs. Contents are copied
 * first. A project appears in one transaction, with its ids. Objects and files become new versions.
 * @throws Error when the organization or the bucket is not here, or the project is
 */
export async function restorePart(deps: RestoreDeps, options: RestoreOptions): Promise<RestoredPart> {
  const from = await openExport(options.archive);
  const { manifest } = from;
  const { part } = manifest;
  if (part === undefined) throw new Error("the archive has a whole organization");
  await requireSameSchema(deps.metadata, manifest);
  const orgId = manifest.organization.id;
  const organization = await organizationById(deps.metadata.read, orgId);
  if (organization === undefined)
    throw new Error(`the organization ${manifest.organization.slug} is not on this server: restore it as a whole`);
  if (organization.deletes_at !== null)
    throw new Error(`the organization ${organization.slug} is being deleted: keep it first (mooring operator keep)`);
  const secrets = await openSecrets(from, options.passphrase);
  const contents = await arriveContents(deps, from, { noted: progressOf(from, options), signal: options.signal });
  const arrived = { deps, options, from, part, orgId, contents, secrets };
  return RESTORE[part.kind](arrived);
}

const RESTORE: Readonly<Record<MovePart["kind"], (arrived: Arrived) => Promise<RestoredPart>>> = {
  project: restoreProject,
  bucket: restoreBucket,
  file: restoreFile,
};

/** The people of a part are those of the organization here. */
const NOBODY: ArrivingPeople = { known: new Set(), unclaimed: new Map(), row: () => null };

async function restoreProject({ deps, options, from, part, orgId, contents, secrets }: Arrived): Promise<RestoredPart> {
  const { metadata, identity, clock } = deps;
  const lookups = await adoptLookups(identity.ring, secrets.lookups);
  const restored = Object.values(from.manifest.tables).reduce((sum, rows) => sum + rows, 0);
  await metadata.write(async (tx) => {
    await lockImport(metadata, tx);
    const taken = await nameTaken(tx, orgId, { projectId: part.id, slug: part.name, apps: await appsOf(from) });
    if (taken !== null) throw new Error(taken);
    await insertAdopted(tx, lookups);
    const { slug } = from.manifest.organization;
    const revokes = !options.restored.keepsCredentials;
    const here = await namesHere(tx, orgId);
    await arriveRows(tx, { from, slug, identity, key: secrets.key, contents, people: NOBODY, clock, revokes, here });
    await countProject(tx, orgId, part.id);
    await audit(tx, { deps, options, orgId, target: { kind: "project", id: part.id }, detail: { slug: part.name } });
  });
  return { part, id: part.id, restored, unchanged: 0 };
}

async function appsOf(from: OpenExport): Promise<string[]> {
  const slugs: string[] = [];
  for await (const row of readLines(from.archive, from.file(recordsPath("app"))))
    slugs.push(String((row as Row)["slug"]));
  return slugs;
}

/** Objects of one transaction. */
const BATCH = 100;

async function restoreBucket({ deps, options, from, part, orgId, contents, secrets }: Arrived): Promise<RestoredPart> {
  const { metadata } = deps;
  const found = await bucketHere(metadata.read, orgId, part);
  if (found === undefined)
    throw new Error(`the bucket ${part.name} is not on this server: create it, or restore its project`);
  const counts = { restored: 0, unchanged: 0 };
  for await (const batch of batchesOf(partRows(from, "s3_object", { deps, key: secrets.key }))) {
    options.signal?.throwIfAborted();
    await metadata.write(async (tx) => {
      const keys = batch.map((row) => row["key"] as Uint8Array);
      const present = await objectsHere(tx, found.id, keys);
      const same = new Set(present.map(({ key, etag, size }) => nameOf(key, etag, size)));
      const changed = batch.filter((row) => !same.has(nameOf(row["key"] as Uint8Array, row["etag"], row["size"])));
      for (const row of changed) await restoreObject({ deps, tx, contents }, found.id, orgId, row);
      counts.restored += changed.length;
      counts.unchanged += batch.length - changed.length;
    });
  }
  await metadata.write((tx) =>
    audit(tx, {
      deps,
      options,
      orgId,
      target: { kind: "bucket", id: found.id },
      detail: { name: found.slug, ...counts },
    }),
  );
  return { part, id: found.id, ...counts };
}

function nameOf(key: Uint8Array, etag: unknown, size: unknown): string {
  return `${Buffer.from(key).toString("hex")} ${String(etag)} ${String(size)}`;
}

async function restoreObject(
  { deps, tx, contents }: Pick<Arrived, "deps" | "contents"> & { readonly tx: Writer },
  bucketId: string,
  orgId: string,
  row: Row,
): Promise<void> {
  const content = await contents.link(tx, "organization", String(row["blob_id"]));
  const { key, size, etag, owner, tags, detail, parts } = row as unknown as RestoredVersion["version"];
  const version = { key, blob_id: content.id, size, etag, owner, tags, detail, parts };
  await deps.restoreVersion(tx, { bucketId, orgId, version });
}

async function restoreFile({ deps, options, from, part, orgId, contents, secrets }: Arrived): Promise<RestoredPart> {
  const { metadata } = deps;
  const rows = await Array.fromAsync(partRows(from, "file", { deps, key: secrets.key }));
  const [row] = rows;
  if (row === undefined) throw new Error(`the backup has no file ${part.id}`);
  const file = await metadata.write(async (tx) => {
    const content = await contents.link(tx, "organization", String(row["blob_id"]));
    const wanted = { ...(row as unknown as FileRow), blob_id: content.id };
    const made = await restoreFileRow({ ...deps, settings: deps.files.settings }, tx, wanted);
    const detail = { filename: made.filename, size_bytes: made.size, sha256: made.sha256, project: made.project_id };
    await audit(tx, { deps, options, orgId, target: { kind: "file", id: made.id }, detail });
    return made;
  });
  return { part, id: file.id, restored: 1, unchanged: 0 };
}

/** Yields the rows of one table of the part, as this server stores them. */
async function* partRows(
  from: OpenExport,
  table: MovedTable["table"],
  { deps, key }: { readonly deps: RestoreDeps; readonly key: Arrived["secrets"]["key"] },
): AsyncGenerator<Row> {
  const moved = MOVED_TABLES.find((each) => each.table === table);
  if (moved === undefined) return;
  for await (const written of readLines(from.archive, from.file(recordsPath(table)))) {
    const row = arrivingRow(moved, written as Row, { identity: deps.identity, key });
    validateRow(moved, row);
    yield row;
  }
}

async function* batchesOf(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function audit(
  tx: Writer,
  {
    deps: { metadata, clock },
    options: { actor, restored },
    orgId,
    target,
    detail,
  }: {
    readonly deps: RestoreDeps;
    readonly options: RestoreOptions;
    readonly orgId: string;
    readonly target: NonNullable<AuditEvent["target"]>;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await appendAudit({ metadata, clock }, tx, {
    orgId,
    actor,
    action: "backup.restore",
    target,
    result: "success",
    detail: { ...detail, backup: restored.backup, keeps_credentials: restored.keepsCredentials },
  });
}
