import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { appendParts, completeResumable, requireRights, type Resumable } from "#domain/files/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import type { FilesSurfaceDeps } from "../deps.ts";
import type { Checksum } from "./protocol.ts";
import { Segments } from "./segments.ts";

/** Also the most that is lost when the server is killed. */
const SEGMENT_BYTES = 16 * 1024 * 1024;

export interface Receiving {
  readonly upload: Resumable;
  readonly body: IncomingMessage;
  readonly checksum: Checksum | undefined;
  /** The actor that sends the content. */
  readonly uploader: string;
}

/**
 * Receives a body piece by piece. A stored piece counts at once; with a checksum all pieces count together or none. The
 * last byte creates the file. Returns the new state of the upload.
 * @throws the error that broke the body off, after storing the received bytes; Problem `body_too_large`,
 *   `checksum_mismatch`, `conflict`, `forbidden`
 */
export async function receive(deps: FilesSurfaceDeps, receiving: Receiving): Promise<number> {
  const { upload, body, checksum } = receiving;
  const segments = new Segments(body, SEGMENT_BYTES);
  const at =
    checksum === undefined
      ? await appendEach(deps, receiving, segments)
      : await appendAll(deps, receiving, segments, checksum);
  if (at === upload.size) await completeResumable(deps, upload.grant);
  return at;
}

/** Reserves the quota for one piece at a time: earlier pieces are counted as parts. */
async function appendEach(deps: FilesSurfaceDeps, receiving: Receiving, segments: Segments): Promise<number> {
  const { grant, size, received } = receiving.upload;
  let at = received;
  while (segments.more) {
    at += await deps.reservations.hold(deps, grant, Math.min(SEGMENT_BYTES, size - at), (reservation) =>
      holdingStaged(deps, async (held) => {
        const bytes = await stage(deps, held, { grant, segments, left: size - at });
        await requireRights(deps, grant, receiving.uploader);
        await reservation.settle(() => appendParts(deps, grant.id, at, held.splice(0)));
        return bytes;
      }),
    );
  }
  if (segments.failure !== undefined) throw segments.failure.error;
  return at;
}

async function appendAll(
  deps: FilesSurfaceDeps,
  { upload, body }: Receiving,
  segments: Segments,
  checksum: Checksum,
): Promise<number> {
  const { grant, size, received } = upload;
  const hash = createHash(checksum.algorithm);
  const bytesMax = Math.min(size - received, Number(body.headers["content-length"] ?? Number.POSITIVE_INFINITY));
  return deps.reservations.hold(deps, grant, bytesMax, (reservation) =>
    holdingStaged(deps, async (held) => {
      let at = received;
      while (segments.more) at += await stage(deps, held, { grant, segments, hash, left: size - at });
      if (segments.failure !== undefined) throw segments.failure.error;
      if (hash.digest("hex") !== checksum.hex) throw mismatch();
      await reservation.settle(() => appendParts(deps, grant.id, received, held.splice(0)));
      return at;
    }),
  );
}

/** Deletes every staged blob that is still in the list at the end of `work`. */
async function holdingStaged<T>(
  { objects }: Pick<FilesSurfaceDeps, "objects">,
  work: (held: StagedBlob[]) => Promise<T>,
): Promise<T> {
  const held: StagedBlob[] = [];
  try {
    return await work(held);
  } finally {
    for (const staged of held) await objects.discard(staged);
  }
}

interface Piece {
  readonly grant: Resumable["grant"];
  readonly segments: Segments;
  readonly hash?: Hash;
  readonly left: number;
}

/** Stages the next piece, and adds it to the list unless it is empty. Returns its size. */
async function stage(
  { objects }: Pick<FilesSurfaceDeps, "objects">,
  held: StagedBlob[],
  { grant, segments, hash, left }: Piece,
): Promise<number> {
  const content = segments.next((chunk) => void hash?.update(chunk));
  const staged = await objects.write(grant.org_id, content, {
    bytesMax: left,
    sender: { orgId: grant.org_id, id: grant.created_by },
  });
  if (staged.size === 0) await objects.discard(staged);
  else held.push(staged);
  return staged.size;
}

function mismatch(): Problem {
  return new Problem(
    "checksum_mismatch",
    "The content does not match Upload-Checksum; send it again from the same offset.",
  );
}
