import { appendAudit, CUT_ACTION, type AuditEvent } from "#domain/audit/index.ts";
import { lookupsToMove, type Identity } from "#domain/identity/index.ts";
import { organizationById, organizationBySlug } from "#domain/organizations/index.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import { UNFINISHED, type Archive, type ArchivedFile, type Chunks } from "#stores/archive/index.ts";
import { holdDeletions } from "#stores/directory/index.ts";
import { withRecordSnapshot, type MetadataStore, type Reader, type SnapshotSource } from "#stores/metadata/index.ts";
import type { ObjectsBeside } from "#stores/objects/index.ts";
import { leavingTelemetry, readMoved, type LeavingTelemetry, type MovedFile } from "#stores/telemetry/index.ts";
import { describeFile, leaveContent, NamedContents, storedUnder } from "./contents.ts";
import {
  CONTENTS,
  EXPORT,
  FILES,
  jsonLines,
  jsonText,
  MANIFEST,
  readJson,
  recordsPath,
  SECRETS,
  TELEMETRY,
  type Content,
  type MoveManifest,
} from "./format.ts";
import { ImageIndex, INDEX, LAYOUT, LAYOUT_CONTENT } from "./images.ts";
import { inParallel } from "./parallel.ts";
import { newMoveKey, type MoveKey } from "./passphrase.ts";
import type { MovePart } from "./parts/part.ts";
import type { MoveProgress } from "./progress.ts";
import { leavingRow, NeedsPassphrase } from "./rows.ts";
import {
  auditHead,
  blobsOf,
  deletionsUnderWay,
  erasuresUnderWay,
  lastMigration,
  rowsAfter,
  type BlobInfo,
  type OrganizationName,
  type Row,
} from "./store.ts";
import { LEFT_TABLES, MOVED_TABLES, type MovedTable } from "./tables.ts";

export interface ExportDeps {
  readonly source: SnapshotSource;
  readonly metadata: MetadataStore;
  readonly objects: Pick<ObjectsBeside, "open">;
  readonly identity: Pick<Identity, "envelope" | "ring">;
  readonly clock: Clock;
  readonly version: string;
}

export interface ExportOptions {
  /** The organization's slug. */
  readonly slug: string;
  /** Only this part, for a restore. */
  readonly part?: MovePart;
  readonly archive: Archive;
  /** Null: secrets stay here. */
  readonly passphrase: string | null;
  readonly actor: AuditEvent["actor"];
  readonly progress: (progress: MoveProgress) => void;
  readonly signal?: AbortSignal;
}

const PAGE = 1_000;
const PARALLEL = 4;
/** Telemetry belongs to the whole organization. */
const NO_TELEMETRY: LeavingTelemetry = { files: [], ofLog: async () => undefined };

/**
 * Exports an organization while servers run. The records are those of one moment. Contents and telemetry of that moment
 * are kept from deletion until they are copied. After an interruption, or to bring a finished export up to date, a
 * further call takes a new moment, and copies only the contents and telemetry that the archive does not have.
 * @throws Error when something can't be exported; the archive then has no manifest
 */
export async function exportOrganization(deps: ExportDeps, options: ExportOptions): Promise<MoveManifest> {
  const organization = await organizationBySlug(deps.metadata.read, options.slug);
  if (organization === undefined) throw new Error(`there is no organization ${options.slug}`);
  const release = holdDeletions(deps.source.dataDir);
  try {
    const run = new ExportRun(deps, options, organization);
    await run.begin();
    const manifest = await run.fill();
    await run.finish(manifest);
    return manifest;
  } finally {
    release();
  }
}

/** The part of an export that the records of its moment decide. */
interface Snapshot {
  readonly atMs: number;
  readonly blobs: { readonly owner: Content["owner"]; readonly info: BlobInfo }[];
  readonly telemetry: LeavingTelemetry;
  readonly schema: string;
  readonly head: MoveManifest["audit_head"];
}

class ExportRun {
  readonly #deps: ExportDeps;
  readonly #options: ExportOptions;
  readonly #organization: OrganizationName;
  readonly #files: ArchivedFile[] = [];
  readonly #tables: Record<string, number> = {};
  readonly #telemetry: Record<string, number> = {};
  readonly #named = new NamedContents();
  readonly #images = new ImageIndex();
  readonly #signers = new Set<string>();
  readonly #startedMs: number;
  #key: MoveKey | null = null;
  #bytes = 0;
  #done = 0;

  constructor(deps: ExportDeps, options: ExportOptions, organization: OrganizationName) {
    this.#deps = deps;
    this.#options = options;
    this.#organization = organization;
    this.#startedMs = deps.clock.nowMs();
  }

  /** Claims the archive. From now on it has no valid export. */
  async begin(): Promise<void> {
    const { archive } = this.#options;
    const { id } = this.#organization;
    const claim = (await readJson(archive, EXPORT)) as { organization?: { id?: unknown } } | undefined;
    if (claim === undefined && (await hasFiles(archive)))
      throw new Error(`${archive.name} is not empty, and has no export; name a place that is new or empty`);
    if (claim !== undefined && claim.organization?.id !== id)
      throw new Error(`${archive.name} has the export of another organization; name another place`);
    await archive.remove(MANIFEST);
    await this.#write(EXPORT, jsonText({ format: 1, organization: this.#organization }));
  }

  async fill(): Promise<MoveManifest> {
    const { passphrase } = this.#options;
    if (passphrase !== null) await this.#writeSecrets(passphrase);
    const snapshot = await withRecordSnapshot(this.#deps.source, (read) => this.#records(read));
    await this.#contents(snapshot);
    const telemetryMs = this.#deps.clock.nowMs();
    await this.#writeTelemetry(snapshot.telemetry);
    return this.#manifest(snapshot, telemetryMs);
  }

  /** Deletes what an earlier run has left, and makes the export valid. */
  async finish(manifest: MoveManifest): Promise<void> {
    const { archive, actor } = this.#options;
    const listed = new Set([...this.#files.map(({ path }) => path), FILES]);
    for await (const path of archive.paths()) if (!listed.has(path)) await archive.remove(path);
    await archive.finish();
    const { sha256 } = await archive.write(MANIFEST, jsonText(manifest));
    await archive.finish();
    const { metadata, clock } = this.#deps;
    const { id } = this.#organization;
    const detail = { manifest_sha256: sha256, secrets: manifest.secrets, records_at: manifest.records_at };
    const event = { orgId: id, actor, action: "organization.export", target: { kind: "organization", id }, detail };
    await metadata.write((tx) => appendAudit({ metadata, clock }, tx, { ...event, result: "success" }));
  }

  async #writeSecrets(passphrase: string): Promise<void> {
    const { key, wrapped } = await newMoveKey(passphrase);
    this.#key = key;
    const lookup = lookupsToMove(this.#deps.identity.ring).map(({ id, purpose, bytes }) => ({
      id,
      purpose,
      key: key.seal(`lookup ${purpose} ${id}`, bytes),
    }));
    await this.#write(SECRETS, jsonText({ ...wrapped, lookup }));
  }

  async #records(read: Reader): Promise<Snapshot> {
    const { id } = this.#organization;
    const atMs = this.#deps.clock.nowMs();
    if ((await organizationById(read, id))?.deletes_at !== null)
      throw new Error("the organization was deleted, and its data may be incomplete: an owner or operator can keep it");
    const pending = await erasuresUnderWay(read, id);
    if (pending > 0) throw new Error("an erasure of telemetry is under way: export again when it has ended");
    if ((await deletionsUnderWay(read)) > 0)
      throw new Error("the deletion of a person is under way: export again when it has ended, with the server running");
    for (const moved of MOVED_TABLES) await this.#table(read, moved);
    const blobs: Snapshot["blobs"] = [];
    for (const owner of ["organization", "images"] as const) {
      const ids = this.#named.idsOf(owner);
      const found = await blobsOf(read, storedUnder(owner, id), ids);
      if (found.length !== ids.length) throw new Error("a content of the records is missing: run mooring scrub");
      blobs.push(...found.map((info) => ({ owner, info })));
    }
    const { dataDir } = this.#deps.source;
    const telemetry =
      this.#options.part === undefined
        ? await leavingTelemetry({ dataDir, clock: this.#deps.clock }, read, id)
        : NO_TELEMETRY;
    return { atMs, blobs, telemetry, schema: await lastMigration(read), head: await auditHead(read, id) };
  }

  async #table(read: Reader, moved: MovedTable): Promise<void> {
    const { table } = moved;
    if (moved.secret === true && this.#key === null) return;
    const shown = { identity: this.#deps.identity, key: this.#key };
    let locked = 0;
    const rows = async function* (this: ExportRun): AsyncGenerator<Row> {
      for await (const row of this.#rows(read, moved)) {
        try {
          yield leavingRow(moved, row, shown);
        } catch (error) {
          if (!(error instanceof NeedsPassphrase)) throw error;
          locked += 1;
        }
      }
    };
    await this.#write(recordsPath(table), jsonLines(rows.call(this)));
    if (locked > 0)
      throw new Error(
        `${locked} objects are encrypted with keys of this server (${table}), so they need a passphrase: add --passphrase-file FILE`,
      );
  }

  async *#rows(read: Reader, moved: MovedTable): AsyncGenerator<Row> {
    const { signal, part } = this.#options;
    const signers = this.#signers;
    this.#tables[moved.table] = 0;
    for (let after: Row | undefined; ;) {
      signal?.throwIfAborted();
      const page = await rowsAfter(read, moved, this.#organization.id, { after, limit: PAGE, signers, part });
      for (const row of page) {
        this.#named.note(moved.table, row);
        this.#images.note(moved.table, row);
        if (moved.table === "audit" && row["action"] === CUT_ACTION) this.#signers.add(signerOf(row));
        yield row;
      }
      this.#tables[moved.table] = (this.#tables[moved.table] ?? 0) + page.length;
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }

  async #contents({ blobs, telemetry }: Snapshot): Promise<void> {
    const { archive, signal } = this.#options;
    const place = { archive, objects: this.#deps.objects, orgId: this.#organization.id };
    const total = blobs.length + telemetry.files.length;
    const list: Content[] = [];
    await inParallel(PARALLEL, blobs, async ({ owner, info }) => {
      signal?.throwIfAborted();
      const at = { owner, path: this.#named.pathOf(info.id) };
      const file = await leaveContent(place, info, at);
      this.#note(file, total);
      list.push({ blob: info.id, owner, ...file });
    });
    await this.#write(CONTENTS, jsonLines(list.toSorted((a, b) => (a.blob < b.blob ? -1 : 1))));
    if (this.#images.isEmpty) return;
    await this.#write(LAYOUT, jsonText(LAYOUT_CONTENT));
    await this.#write(INDEX, jsonText(this.#images.index()));
  }

  async #writeTelemetry({ files, ofLog }: LeavingTelemetry): Promise<void> {
    const { signal } = this.#options;
    const list: object[] = [];
    const leave = async (moved: MovedFile, isKnown: boolean): Promise<void> => {
      signal?.throwIfAborted();
      const file = await this.#parquet(moved, isKnown);
      const { type, rows } = moved.row;
      this.#telemetry[type] = (this.#telemetry[type] ?? 0) + rows;
      list.push({ ...moved.row, path: file.path, sha256: file.sha256 });
      this.#note(file, this.#done + 1);
    };
    for (const moved of files) await leave(moved, true);
    await ofLog((moved) => leave(moved, false));
    await this.#write(TELEMETRY, jsonLines(list));
  }

  /** A Parquet file never changes, so a copy of the same size is complete. */
  async #parquet(moved: MovedFile, mayBeThere: boolean): Promise<ArchivedFile> {
    const { archive } = this.#options;
    const { id, type, day, bytes } = moved.row;
    const path = `telemetry/${type}/${day === "" ? "days" : day}/${id}.parquet`;
    const isThere = mayBeThere && (await archive.sizeOf(path)) === bytes;
    const file = isThere ? await describeFile(path, readMoved(moved)) : await archive.write(path, readMoved(moved));
    if (file.size !== bytes) throw new Error(`the telemetry file ${id} has another size than in the records`);
    return file;
  }

  async #manifest({ atMs, schema, head }: Snapshot, telemetryMs: number): Promise<MoveManifest> {
    const { archive, part } = this.#options;
    const files = this.#files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const list = await archive.write(FILES, jsonLines(files));
    return {
      format: 1,
      version: this.#deps.version,
      schema,
      organization: this.#organization,
      ...(part === undefined ? {} : { part }),
      started_at: isoFromMs(this.#startedMs),
      records_at: isoFromMs(atMs),
      telemetry_at: isoFromMs(telemetryMs),
      finished_at: isoFromMs(this.#deps.clock.nowMs()),
      secrets: this.#key !== null,
      tables: this.#tables,
      telemetry: this.#telemetry,
      contents: this.#named.idsOf("organization").length + this.#named.idsOf("images").length,
      audit_head: head,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      files_sha256: list.sha256,
      left_out: LEFT_TABLES,
    };
  }

  async #write(path: string, content: Chunks): Promise<void> {
    this.#files.push(await this.#options.archive.write(path, content));
  }

  #note(file: ArchivedFile, total: number): void {
    this.#files.push(file);
    this.#done += 1;
    this.#bytes += file.size;
    this.#options.progress({ done: this.#done, total: Math.max(total, this.#done), bytes: this.#bytes });
  }
}

/** Returns the name of the key that signed a cut. */
function signerOf({ detail }: Row): string {
  return String((JSON.parse(String(detail)) as { kid?: unknown }).kid);
}

/** A run that was interrupted at its first file has left only a part of it. */
async function hasFiles(archive: Archive): Promise<boolean> {
  for await (const path of archive.paths()) if (path !== EXPORT + UNFINISHED) return true;
  return false;
}
