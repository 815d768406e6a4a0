import { createHash } from "node:crypto";
import { type Principal, absent } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import { dropParts, insertPart, partsOf, receivedOf, setExpiry, type PartRow } from "./parts-store.ts";
import { takeGrant, type FileRow, type Grant, type GrantRow, type StoredFile } from "./store.ts";
import { lockFiles, makeFile, makeGrant, type FilesDeps, type NewUpload } from "./uploads.ts";
import { findFile, findGrant } from "./files.ts";

/** The progress of a resumable upload. */
export interface Resumable {
  readonly grant: Grant;
  readonly size: number;
  readonly received: number;
}

/** @throws Problem as `grantUpload` does */
export async function beginResumable(
  deps: FilesDeps,
  principal: Principal,
  upload: NewUpload & { readonly size: number; readonly metadata: string },
): Promise<GrantRow> {
  return makeGrant(deps, principal, { ...upload, expiresAt: expiryOf(deps) });
}

/** Finds the upload of this id, or the file that it became. @throws Problem `not_found`, also if it expired */
export async function findResumable(deps: FilesDeps, orgId: string, id: string): Promise<Resumable | StoredFile> {
  const grant = await findGrant(deps, orgId, id);
  if (grant === undefined) {
    const file = await findFile(deps, orgId, id);
    if (file === undefined) throw absent();
    return file;
  }
  if (grant.metadata === null || grant.size === null || grant.expires_at <= deps.clock.nowMs()) throw absent();
  return { grant, size: grant.size, received: await receivedOf(deps.metadata.read, id) };
}

/**
 * Appends the next parts, and extends the expiry. If two requests start at the same offset, the second one fails.
 * @throws Problem `conflict`, `not_found`, after discarding the staged parts
 */
export async function appendParts(
  deps: FilesDeps,
  id: string,
  start: number,
  staged: readonly StagedBlob[],
): Promise<void> {
  try {
    await deps.metadata.write(async (tx) => {
      const [first] = staged;
      if (first === undefined) return;
      await lockFiles(deps, tx, first.orgId);
      if (!(await setExpiry(tx, id, expiryOf(deps)))) throw absent();
      if ((await receivedOf(tx, id)) !== start) throw movedOn();
      let at = start;
      for (const blob of staged) {
        await deps.objects.link(tx, blob.orgId, blob);
        await insertPart(tx, { grant_id: id, start: at, org_id: blob.orgId, size: blob.size, blob_id: blob.id });
        at += blob.size;
      }
    });
  } catch (error) {
    for (const blob of staged) await deps.objects.discard(blob);
    throw error;
  }
}

/**
 * Makes a file of the parts once all of them arrived.
 * @throws Problem `conflict` if another request did, or if the upload was cancelled
 */
export async function completeResumable(deps: FilesDeps, grant: GrantRow): Promise<FileRow> {
  const parts = await partsOf(deps.metadata.read, grant.id);
  const sha256 = await digestOf(deps, parts);
  const empty = parts.length === 0 ? await deps.objects.write(grant.org_id, new Uint8Array(), { bytesMax: 0 }) : null;
  return deps.metadata.write(async (tx) => {
    const nowMs = deps.clock.nowMs();
    await lockFiles(deps, tx, grant.org_id);
    if ((await receivedOf(tx, grant.id)) !== grant.size) throw movedOn();
    const ranges = parts.map((part, i) => ({ blobId: part.blob_id, number: i + 1 }));
    const id = empty === null ? (await deps.objects.compose(tx, grant.org_id, ranges)).id : empty.id;
    if (empty !== null) await deps.objects.link(tx, grant.org_id, empty);
    await dropParts(tx, deps.objects, grant.id);
    const taken = await takeGrant(tx, grant.id, { claim: "", nowMs, lost: movedOn });
    if (taken === undefined) throw movedOn();
    return makeFile(tx, taken, { id, size: grant.size ?? 0, sha256 }, nowMs);
  });
}

/**
 * Reads the content back from the store. The parts may have arrived at several processes, and the digest must describe
 * the stored bytes.
 */
async function digestOf(deps: FilesDeps, parts: readonly PartRow[]): Promise<string> {
  const hash = createHash("sha256");
  for (const { org_id, blob_id } of parts) {
    const reader = await deps.objects.open(org_id, blob_id);
    for await (const chunk of reader.chunks()) hash.update(chunk);
  }
  return hash.digest("hex");
}

function expiryOf(deps: FilesDeps): number {
  return deps.clock.nowMs() + deps.settings.resumableLifetimeS * 1000;
}

export function movedOn(): Problem {
  return new Problem("conflict", "The upload has another offset than the request says. Ask for its offset with HEAD.");
}
