import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { FilesDeps } from "#domain/files/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import { importOrganization, restorePart, type RestoreDeps } from "#domain/moves/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs, systemClock, type Clock } from "#kernel/time.ts";
import { openArchive, type Archive } from "#stores/archive/index.ts";
import { openMetadata, type MetadataOptions, type MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { InstanceRestores, NewRestore, RestoreState } from "#surfaces/portal/index.ts";
import type { Config } from "../config.ts";
import { recordLimitsOf } from "../limit-settings.ts";
import { startBackupChild, type BackupChild } from "./child.ts";
import { applyDeletions } from "./deletions.ts";
import { partWords } from "./part-name.ts";

/** Extracted parts of backups, within the data directory. */
const FOLDER = "restores";
const KEPT = 20;
/** The transaction of a whole organization or project may take its time. */
const WAIT_MS = 600_000;
const PASSPHRASE_BYTES = 32;

export interface PartRestorerOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly telemetry: Pick<TelemetryStore, "arrive">;
  readonly identity: Pick<Identity, "envelope" | "ring">;
  readonly files: Pick<FilesDeps, "settings">;
  readonly restoreVersion: RestoreDeps["restoreVersion"];
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** Restores parts of backups into this server. One restore runs at a time. */
export class PartRestorer implements InstanceRestores {
  readonly #options: PartRestorerOptions;
  readonly #stopping = new AbortController();
  #restores: RestoreState[] = [];
  #running: { readonly child: BackupChild; readonly ended: Promise<void> } | undefined;

  constructor(options: PartRestorerOptions) {
    this.#options = options;
  }

  /** Deletes what an interrupted restore has left. */
  async start(): Promise<void> {
    await rm(join(this.#options.config.data_dir, FOLDER), { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#running?.child.kill();
    await this.#running?.ended;
  }

  list(): readonly RestoreState[] {
    return this.#restores;
  }

  begin(wanted: NewRestore): { readonly id: string } {
    const { config, clock } = this.#options;
    if (config.backup_dir === null)
      throw new Problem("conflict", "No place for backups is set: set backup_dir, and start the server again.");
    if (this.#running !== undefined) throw new Problem("conflict", "A restore is already running.");
    const id = randomBytes(8).toString("hex");
    const state: RestoreState = {
      ...wanted,
      id,
      state: "running",
      startedAt: isoFromMs(clock.nowMs()),
      endedAt: null,
      detail: null,
    };
    this.#restores = [state, ...this.#restores].slice(0, KEPT);
    const to = join(config.data_dir, FOLDER, id);
    const passphrase = randomBytes(PASSPHRASE_BYTES).toString("base64url");
    const passphraseFile = `${to}.passphrase`;
    mkdirSync(join(config.data_dir, FOLDER), { recursive: true, mode: 0o700 });
    writeFileSync(passphraseFile, `${passphrase}\n`, { mode: 0o600 });
    const chosen = wanted.backup === null ? [] : ["--name", wanted.backup];
    const words = ["extract", ...chosen, ...partWords(wanted), "--into", to, "--passphrase-file", passphraseFile];
    const child = startBackupChild(config, words);
    const ended = this.#run(state, { child, to, passphrase }).then(() => this.#end([to, `${to}.work`, passphraseFile]));
    this.#running = { child, ended };
    return { id };
  }

  /** Deletes the files of a restore. Never rejects: the next start deletes the rest. */
  async #end(paths: readonly string[]): Promise<void> {
    try {
      for (const path of paths) await rm(path, { recursive: true, force: true });
    } catch (error) {
      this.#options.log.error({ err: error }, "cannot delete the files of a restore");
    }
    this.#running = undefined;
  }

  /** Never rejects. */
  async #run(
    state: RestoreState,
    { child, to, passphrase }: { readonly child: BackupChild; readonly to: string; readonly passphrase: string },
  ): Promise<void> {
    const { log, clock } = this.#options;
    const end = (change: Pick<RestoreState, "state" | "detail">): void => {
      const ended = { ...state, ...change, endedAt: isoFromMs(clock.nowMs()) };
      this.#restores = this.#restores.map((each) => (each.id === state.id ? ended : each));
    };
    try {
      const extracted = await child.ended;
      if (!extracted.ok) throw new Error(extracted.detail);
      const { backup } = JSON.parse(extracted.output) as { backup: string };
      const detail = await this.#restore({ ...state, backup }, to, passphrase);
      log.info({ restore: state.id, backup, kind: state.kind, detail }, "restored a part of a backup");
      end({ state: "done", detail });
    } catch (error) {
      log.error(
        { restore: state.id, err: error },
        "the restore failed: nothing of the part was changed, or only new versions were added",
      );
      end({ state: "failed", detail: (error as Error).message });
    }
  }

  async #restore(state: NewRestore & { readonly backup: string }, from: string, passphrase: string): Promise<string> {
    const archive = await openArchive(from, () => {
      throw new Error("this is a directory");
    });
    try {
      return await this.#restoreFrom(archive, state, passphrase);
    } finally {
      archive.close();
    }
  }

  async #restoreFrom(
    archive: Archive,
    { kind, backup, slug, credentials }: NewRestore & { readonly backup: string },
    passphrase: string,
  ): Promise<string> {
    const { config, metadata, objects, identity, telemetry, files, restoreVersion, clock } = this.#options;
    const actor = { kind: "system", id: "backup" } as const;
    const restored = { backup, keepsCredentials: credentials === "kept" };
    const signal = this.#stopping.signal;
    const common = { archive, passphrase, actor, progress: () => undefined, restored, signal };
    const deps = { objects, identity, clock, files, restoreVersion };
    if (kind === "bucket" || kind === "file") {
      const { id, restored: count, unchanged } = await restorePart({ ...deps, metadata }, common);
      return kind === "file" ? `file ${id}` : `${count} objects restored, ${unchanged} were unchanged`;
    }
    // Other changes wait during the transaction.
    const patient = await openMetadata({ ...patientRecords(config), clock: systemClock, migrating: "refuse" });
    try {
      if (kind === "project") {
        const { id, restored: count } = await restorePart({ ...deps, metadata: patient }, common);
        return `project ${id} with ${count} rows`;
      }
      const arriveTelemetry: TelemetryStore["arrive"] = (...given) => telemetry.arrive(...given);
      const imported = await importOrganization({ ...deps, arriveTelemetry, metadata: patient }, { ...common, slug });
      const deleted = await applyDeletions(config.data_dir, { metadata: patient, clock });
      return `organization ${imported.slug}${deleted.length > 0 ? `; ${deleted.length} people were deleted again` : ""}`;
    } finally {
      await patient.close();
    }
  }
}

/** The records with patience: other changes are waited for, and the transaction may be long. */
function patientRecords(config: Config): Omit<MetadataOptions, "clock"> {
  const { database_url: url, data_dir: dataDir } = config;
  return { url: url ?? undefined, dataDir, limits: recordLimitsOf(config), waitMs: WAIT_MS, readTimeoutMs: WAIT_MS };
}
