import { INSTANCE_CHAIN } from "../event.ts";
import { findHead } from "../store.ts";
import { checkpointSigners, type CheckpointKeysDeps } from "./keys.ts";
import { signCheckpoint, verifierText } from "./note.ts";

export { compareCheckpoints, type Compared } from "./against.ts";
export { isSignedByOne, parseNote, parseVerifier, type NoteVerifier, type SignedNote } from "./note.ts";

export interface CheckpointDeps extends CheckpointKeysDeps {
  /** The host of this installation, which is part of the names of its logs. */
  readonly instance: string;
}

/** A signed statement about the last entry of a log. */
export interface SignedCheckpoint {
  readonly size: number;
  /** A signed note in the form of C2SP. */
  readonly note: string;
  /** The public keys that verify it, the newest first. */
  readonly keys: readonly string[];
}

/** The last part of an origin. */
export function logName(orgId: string | null): string {
  return orgId ?? "instance";
}

/** Signs the last entry of a log; null for an empty log. */
export async function makeCheckpoint(deps: CheckpointDeps, orgId: string | null): Promise<SignedCheckpoint | null> {
  const head = await findHead(deps.metadata.read, orgId ?? INSTANCE_CHAIN);
  if (head === undefined) return null;
  const origin = `mooring/${deps.instance}/${logName(orgId)}`;
  const signers = await checkpointSigners(deps, origin);
  const note = signCheckpoint({ origin, size: head.seq, root: head.hash }, signers);
  return { size: head.seq, note, keys: signers.map(verifierText) };
}
