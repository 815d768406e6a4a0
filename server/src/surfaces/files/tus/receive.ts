import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { appendParts, completeResumable, requireRights, type Resumable } from "#domain/files/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import type { Checksum } from "./protocol.ts";
import { Segments } from "./segments.ts";

/** What is lost at most when the server is killed. */
const SEGMENT_BYTES = 16 * 1024 * 1024;

export interface Receiving {
  readonly upload: Resumable;
  readonly body: IncomingMessage;
  readonly checksum: Checksum | undefined;
  /** Who sends it. */
  readonly uploader: string;
}

/**
 * Takes a body in, piece by piece, each of which counts once it is stored; with a checksum all of them count together or none. The last byte makes the
 * file. Resolves with where the upload is then.
 * @throws what made the body break off, after keeping what had come; Problem `body_too_large`, `checksum_mismatch`, `conflict`, `forbidden`
 */
export async function receive(deps: FilesSurfaceDeps, receiving: Receiving): Promise<number> {
  const { upload, body, checksum, uploader } = receiving;
  const { grant, size } = upload;
  const segments = new Segments(body, SEGMENT_BYTES);
  const hash = checksum === undefined ? undefined : createHash(checksum.algorithm);
  const held: StagedBlob[] = [];
  let at = upload.received;
  try {
    while (segments.more) {
      const staged = await stage(deps, receiving, { segments, hash, left: size - at });
      if (staged.size === 0) await deps.objects.discard(staged);
      else held.push(staged);
      at += staged.size;
      if (checksum !== undefined) continue;
      await requireRights(deps, grant, uploader);
      await appendParts(deps, grant.id, at - staged.size, held.splice(0));
    }
    if (segments.failure !== undefined) throw segments.failure.error;
    if (checksum !== undefined && hash?.digest("hex") !== checksum.hex) throw mismatch();
    await appendParts(deps, grant.id, upload.received, held.splice(0));
  } finally {
    for (const staged of held) await deps.objects.discard(staged);
  }
  if (at === size) await completeResumable(deps, grant);
  return at;
}

async function stage(
  deps: FilesSurfaceDeps,
  { upload }: Receiving,
  piece: { readonly segments: Segments; readonly hash: Hash | undefined; readonly left: number },
): Promise<StagedBlob> {
  const { segments, hash, left } = piece;
  const content = segments.next((chunk) => void hash?.update(chunk));
  return deps.objects.write(upload.grant.org_id, content, { bytesMax: left });
}

function mismatch(): Problem {
  return new Problem(
    "checksum_mismatch",
    "The content is not what Upload-Checksum says; send it again from the same offset.",
  );
}
