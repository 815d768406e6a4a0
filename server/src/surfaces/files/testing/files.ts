import type { GuardedClock } from "#kernel/deletions.ts";
import { trustedClock } from "#kernel/testing.ts";
import { createProject, SYSTEM } from "#domain/organizations/index.ts";
import {
  createPresignedUrls,
  deleteFile,
  UploadReservations,
  type FilesDeps,
  type FileSettings,
} from "#domain/files/index.ts";
import { newId } from "#kernel/ids.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openObjects } from "#stores/objects/index.ts";
import type { Ask, Pair } from "../../organization/testing/suite.ts";
import { boundToken, fresh, pair } from "../../organization/testing/requests.ts";
import type { Answer, Tenant, World, WorldOptions } from "../../organization/testing/world.ts";
import { createFilesSurface } from "../index.ts";

/** Helpers for tests of files: the world of organizations with this surface over a real store, and requests. */

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Presigned URLs of a world begin with this; `contentPath` removes it. */
const STORAGE_URL = "http://files.example";

export interface TurnedClock extends GuardedClock {
  advance(ms: number): void;
}

/** Returns the real time with the test's shift. */
function turnedClock(): TurnedClock {
  let addedMs = 0;
  const clock = trustedClock({ nowMs: () => systemClock.nowMs() + addedMs });
  return { ...clock, advance: (ms) => void (addedMs += ms) };
}

export interface FileParts extends FilesDeps {
  readonly clock: TurnedClock;
  readonly dataDir: string;
}

const parts = new WeakMap<MetadataStore, FileParts>();

/** Returns the parts of a world's surface. */
export function filesOf(world: World): FileParts {
  const found = parts.get(world.metadata);
  if (found === undefined) throw new Error("the world has no files");
  return found;
}

export function withFiles(change: Partial<FileSettings> = {}, uploadIdleTimeoutMs = 5000): WorldOptions {
  return {
    surfaces: async ({ host, identity, metadata, dataDir, onClose }) => {
      const clock = turnedClock();
      const settings = { graceMs: 1000, collectEveryMs: 0, diskFreeBytesMin: 0 };
      const objects = await openObjects({ dataDir, metadata, clock, log: SILENT, settings });
      onClose(() => objects.close());
      const urls = createPresignedUrls({ storageUrl: STORAGE_URL, envelope: identity.envelope });
      const own = {
        sizeBytesMax: 5 * 1024 ** 3,
        urlLifetimeS: 900,
        resumableLifetimeS: 86_400,
        storedBytesMax: null,
        trashDays: 7,
        ...change,
      };
      const place = { urls, storageUrl: STORAGE_URL, reservations: new UploadReservations() };
      const deps = { metadata, objects, clock, settings: own, dataDir, ...place };
      parts.set(metadata, deps);
      return [createFilesSurface({ host, ...deps, arrivals: null, uploadIdleTimeoutMs })];
    },
  };
}

export const WITH_FILES: WorldOptions = { ...withFiles(), isShared: true };

/** The usage of an empty trash. */
export const NO_TRASH = { trashed_files: 0, trashed_bytes: 0 };

export interface Grant {
  readonly upload_url: string;
  readonly file_id: string;
  readonly expires_in: number;
}

export function ask(world: World, body: Readonly<Record<string, unknown>>, token: string): Promise<Answer> {
  return world.call("POST", "/v1/upload", { token, body: { filename: "a.txt", content_type: "text/plain", ...body } });
}

export async function newGrant(
  world: World,
  body: Readonly<Record<string, unknown>> = {},
  token?: string,
): Promise<Grant> {
  const answer = await ask(world, body, token ?? (await world.token()));
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json["data"] as Grant;
}

/** Returns the path of a presigned URL, with its parameters. */
export function contentPath(url: string): string {
  if (!url.startsWith(STORAGE_URL)) throw new Error(`${url} is elsewhere`);
  return url.slice(STORAGE_URL.length);
}

export function putContent(
  world: World,
  url: string,
  content: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return world.call("PUT", contentPath(url), { body: content, headers: { "content-type": "text/plain", ...headers } });
}

/** Creates a file in the organization, or in a project that `body` names. Its content is the JSON of `content`. Returns its ID. */
export async function newFile(
  world: World,
  body: Readonly<Record<string, unknown>> = {},
  token?: string,
  content: unknown = "content",
): Promise<string> {
  const grant = await newGrant(world, body, token);
  const answer = await putContent(world, grant.upload_url, content);
  if (answer.status !== 200) throw new Error(answer.text);
  return grant.file_id;
}

/** Returns `filePairs` of files in the trash. */
export async function trashedPairs(world: World, askOf: (id: string) => Ask): Promise<Pair[]> {
  const pairs = await filePairs(world, askOf);
  for (const id of new Set(pairs.map(({ names }) => names[0]))) {
    const query = world.metadata.read.selectFrom("file").select("org_id").where("id", "=", id);
    const { org_id: orgId } = await query.executeTakeFirstOrThrow();
    await deleteFile(filesOf(world), SYSTEM, orgId, { id });
  }
  return pairs;
}

/** Creates a file in the trash. Returns its ID. */
export async function newTrashed(
  world: World,
  body: Readonly<Record<string, unknown>> = {},
  token?: string,
): Promise<string> {
  const by = token ?? (await world.token());
  const id = await newFile(world, body, by);
  const answer = await world.call("DELETE", `/v1/files/${id}`, { token: by });
  if (answer.status !== 204) throw new Error(answer.text);
  return id;
}

/** Returns hidden files: one of another organization, one of a private project, and for a credential of a project those outside. */
export async function filePairs(world: World, askOf: (id: string) => Ask): Promise<Pair[]> {
  const rival: Tenant = world.rival;
  const inside = await world.token({ projectId: world.acme.closed.id });
  const deps = { metadata: world.metadata, clock: systemClock };
  const other = await createProject(deps, SYSTEM, world.acme.id, { slug: fresh("elsewhere") });
  const bound = await boundToken(world);
  const absent = newId("file", 1);
  const closed = await newFile(world, {}, inside);
  return [
    pair(await newFile(world, {}, await world.token({ tenant: rival })), askOf, absent),
    pair(closed, askOf, absent),
    pair(closed, (id) => ({ ...askOf(id), token: world.person(world.acme, world.acme.people.admin) }), absent),
    pair(await newFile(world), (id) => ({ ...askOf(id), token: bound }), absent),
    pair(await newFile(world, { project: other.id }), (id) => ({ ...askOf(id), token: bound }), absent),
  ];
}
