/** Two servers in this process: one with an organization to export, and one to import it into. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createIdentity, type Identity } from "#domain/identity/index.ts";
import { ISSUER, openGround, ORG_ID, PROJECT_ID, type Ground } from "#domain/identity/testing.ts";
import { trustedClock } from "#kernel/testing.ts";
import { openArchive } from "#stores/archive/index.ts";
import { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata, ROWS } from "#stores/metadata/testing.ts";
import { openObjects, type ObjectStore } from "#stores/objects/index.ts";
import { arrivingTelemetry } from "#stores/telemetry/index.ts";
import {
  exportOrganization,
  importOrganization,
  type ImportDeps,
  type ImportedOrganization,
  type MoveManifest,
} from "./index.ts";
import type { Row } from "./store.ts";
import { MOVED_TABLES } from "./tables.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ACTOR = { kind: "system", id: "test" } as const;
export const CONTENT = "the content of a file";

export interface Source {
  readonly ground: Ground;
  readonly owner: { readonly id: string; readonly email: string };
  /** Has an account on the target, too. */
  readonly known: { readonly id: string };
  /** Exports into a new directory, without secrets. */
  exported(): Promise<string>;
  close(): Promise<void>;
}

/** `url`: an empty PostgreSQL database. Absent: SQLite. */
export async function openSource(url: string | undefined): Promise<Source> {
  const ground = await openGround(url === undefined ? {} : { url });
  const { metadata, dataDir, clock } = ground;
  const identity = await ground.node();
  const objects = await objectsOf(dataDir, metadata, ground);
  const owner = await ground.person("owner", { [PROJECT_ID]: "maintainer" });
  const known = await ground.person("developer");
  await fill(metadata, objects, owner.id);
  const token = { ...ROWS.credential, id: "cred_token", client_id: "client_token", kind: "personal" } as const;
  const theirs = {
    org_id: ORG_ID,
    project_id: null,
    created_by: known.id,
    responsible: known.id,
    scopes: "files:read",
  };
  await metadata.write((tx) =>
    tx
      .insertInto("credential")
      .values({ ...token, ...theirs, revoked_at: null })
      .execute(),
  );
  const directories: string[] = [];
  return {
    ground,
    owner,
    known,
    exported: async () => {
      const to = mkdtempSync(join(tmpdir(), "mooring-export-"));
      directories.push(to);
      const archive = await openArchive(to, () => {
        throw new Error("this is a directory");
      });
      await exportOrganization(
        { source: { url, dataDir }, metadata, objects, identity, clock, version: "test" },
        { slug: "acme", archive, passphrase: null, actor: ACTOR, progress: () => undefined },
      );
      return to;
    },
    close: async () => {
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
      await objects.close();
      await ground.close();
    },
  };
}

/** Adds a row of the kinds that an attacker would change. */
async function fill(metadata: MetadataStore, objects: ObjectStore, userId: string): Promise<void> {
  const place = { org_id: ORG_ID, project_id: PROJECT_ID };
  const staged = await objects.write(ORG_ID, Readable.from([Buffer.from(CONTENT)]), { bytesMax: 1000 });
  await metadata.write(async (tx) => {
    await tx
      .insertInto("app")
      .values({ ...ROWS.app, ...place })
      .execute();
    await tx
      .insertInto("webhook")
      .values({ ...ROWS.webhook, ...place, secrets: null })
      .execute();
    await tx
      .insertInto("webhook_event")
      .values({ ...ROWS.webhook_event, ...place })
      .execute();
    await tx
      .insertInto("person_group")
      .values({ ...ROWS.person_group, org_id: ORG_ID })
      .execute();
    await tx
      .insertInto("group_member")
      .values({ ...ROWS.group_member, org_id: ORG_ID, user_id: userId })
      .execute();
    await tx
      .insertInto("credential")
      .values({ ...ROWS.credential, ...place, responsible: userId, scopes: "files:read" })
      .execute();
    await objects.link(tx, ORG_ID, staged);
    const content = { blob_id: staged.id, size: staged.size, sha256: staged.sha256 };
    await tx
      .insertInto("file")
      .values({ ...ROWS.file, ...place, ...content })
      .execute();
    // Counts as they are while an upload is under way.
    const usage = { place: PROJECT_ID, files: 1, bytes: staged.size, grants: 1, reserved: 5000 };
    await tx
      .insertInto("file_usage")
      .values({ org_id: ORG_ID, ...usage, trashed_files: 0, trashed_bytes: 0 })
      .execute();
  });
}

export interface Target {
  readonly metadata: MetadataStore;
  imported(from: string, slug?: string): Promise<ImportedOrganization>;
  /** Counts the rows of the tables that move. One account is there already. */
  rows(): Promise<number>;
  close(): Promise<void>;
}

export async function openTarget(url: string | undefined, { ground, known }: Source): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-import-"));
  const { clock } = ground;
  const metadata = await openTestMetadata({ url, dataDir, clock });
  const identity: Identity = await createIdentity({
    schedule: new Schedule(clock),
    metadata,
    clock: trustedClock(clock),
    dataDir,
    issuer: ISSUER,
    audience: ISSUER,
    log: SILENT,
  });
  const objects = await objectsOf(dataDir, metadata, ground);
  const account = { ...ROWS.person, id: known.id, email: "kept@example.com" };
  await metadata.write((tx) => tx.insertInto("person").values(account).execute());
  return {
    metadata,
    imported: async (from, slug) => {
      const archive = await openArchive(from, () => {
        throw new Error("this is a directory");
      });
      const place = { dataDir, clock };
      const arriveTelemetry: ImportDeps["arriveTelemetry"] = (...given) => arrivingTelemetry(place, ...given);
      const deps = { arriveTelemetry, metadata, objects, identity, clock };
      const options = { archive, slug: slug ?? null, passphrase: null, actor: ACTOR, progress: () => undefined };
      return importOrganization(deps, options);
    },
    rows: async () => {
      let sum = 0;
      for (const { table } of MOVED_TABLES) {
        const query = metadata.read.selectFrom(table).select(({ fn }) => fn.countAll<number>().as("n"));
        sum += Number((await query.executeTakeFirstOrThrow()).n);
      }
      return sum;
    },
    close: async () => {
      await identity.stop();
      await objects.close();
      await metadata.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function objectsOf(dataDir: string, metadata: MetadataStore, { clock }: Ground): Promise<ObjectStore> {
  const settings = { collectEveryMs: 0, diskFreeBytesMin: 0 };
  return openObjects({ dataDir, metadata, clock: trustedClock(clock), log: SILENT, settings });
}

/** An export in a directory, whose digests are computed again after each change, as a forger would. */
export class Forgery {
  readonly #at: string;

  constructor(at: string) {
    this.#at = at;
  }

  rows(table: string): Row[] {
    const lines = readFileSync(join(this.#at, `records/${table}.ndjson`), "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
  }

  /** Replaces the rows of a table, and their number in the manifest. */
  replace(table: string, rows: readonly Row[]): void {
    this.write(`records/${table}.ndjson`, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    this.manifest((manifest) => ({ ...manifest, tables: { ...manifest.tables, [table]: rows.length } }));
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.#at, path), text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    this.list((files) =>
      files.map((file) => (file.path === path ? { path, size: Buffer.byteLength(text), sha256 } : file)),
    );
  }

  list(change: (files: Listed[]) => Listed[]): void {
    const path = join(this.#at, "files.ndjson");
    const lines = readFileSync(path, "utf8").trim().split("\n");
    const files = change(lines.map((line) => JSON.parse(line) as Listed));
    const text = files.map((file) => `${JSON.stringify(file)}\n`).join("");
    writeFileSync(path, text);
    const files_sha256 = createHash("sha256").update(text).digest("hex");
    this.manifest((manifest) => ({ ...manifest, files: files.length, files_sha256 }));
  }

  manifest(change: (manifest: MoveManifest) => MoveManifest): void {
    const path = join(this.#at, "manifest.json");
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")) as MoveManifest)));
  }
}

interface Listed {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}
