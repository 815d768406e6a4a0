import { createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { sha256Hex } from "#kernel/digest.ts";

/**
 * Checkpoints have the form of C2SP: a signed note (c2sp.org/signed-note) whose text is an origin, a size and a hash
 * (c2sp.org/tlog-checkpoint). The log is a chain, so the hash is that of its last entry and not the root of a tree.
 */
export interface Checkpoint {
  /** `mooring/INSTANCE/LOG`. */
  readonly origin: string;
  /** The number of the last entry. */
  readonly size: number;
  /** The hash of the last entry, hexadecimal. */
  readonly root: string;
}

/** A key that signs notes under a name. */
export interface NoteSigner {
  readonly name: string;
  /** The 32 bytes of the public key. */
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

/** A public key with its name, as a receiver keeps it. */
export interface NoteVerifier {
  readonly name: string;
  readonly publicKey: Buffer;
}

interface Signature {
  readonly name: string;
  readonly keyId: string;
  readonly signature: Buffer;
}

export interface SignedNote {
  /** The signed text, which ends with a line break. */
  readonly text: string;
  readonly checkpoint: Checkpoint;
  readonly signatures: readonly Signature[];
}

/** Ed25519 in signed notes. */
const ALGORITHM = 1;
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
/** The DER head of an Ed25519 public key (RFC 8410). */
const SPKI_HEAD = Buffer.from("302a300506032b6570032100", "hex");

function keyIdOf({ name, publicKey }: NoteVerifier): string {
  return sha256Hex(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ALGORITHM), publicKey])).slice(
    0,
    2 * KEY_ID_BYTES,
  );
}

/** Writes a public key in the form `NAME+KEY-ID+KEY`. */
export function verifierText(verifier: NoteVerifier): string {
  const key = Buffer.concat([Buffer.of(ALGORITHM), verifier.publicKey]).toString("base64");
  return `${verifier.name}+${keyIdOf(verifier)}+${key}`;
}

/** @throws Error if the text is not such a key */
export function parseVerifier(text: string): NoteVerifier {
  const [, name = "", keyId = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const key = Buffer.from(encoded, "base64");
  const verifier = { name, publicKey: key.subarray(1) };
  if (key.length !== KEY_BYTES + 1 || key[0] !== ALGORITHM || keyIdOf(verifier) !== keyId)
    throw new Error(`cannot use ${JSON.stringify(text.slice(0, 80))} as a key: it must have the form NAME+ID+KEY`);
  return verifier;
}

export function signCheckpoint({ origin, size, root }: Checkpoint, signers: readonly NoteSigner[]): string {
  const text = `${origin}\n${size}\n${Buffer.from(root, "hex").toString("base64")}\n`;
  const lines = signers.map((signer) => {
    const signature = sign(null, Buffer.from(text), signer.privateKey);
    const value = Buffer.concat([Buffer.from(keyIdOf(signer), "hex"), signature]).toString("base64");
    return `\u2014 ${signer.name} ${value}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** @throws Error if the text is not a signed checkpoint */
export function parseNote(note: string): SignedNote {
  const end = note.lastIndexOf("\n\n");
  const text = note.slice(0, end + 1);
  const [origin = "", size = "", root = ""] = text.split("\n");
  const signatures = note
    .slice(end + 2)
    .split("\n")
    .flatMap((line) => {
      const [, name = "", encoded = ""] = /^\u2014 (\S+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
      const value = Buffer.from(encoded, "base64");
      if (value.length <= KEY_ID_BYTES) return [];
      const keyId = value.subarray(0, KEY_ID_BYTES).toString("hex");
      return [{ name, keyId, signature: value.subarray(KEY_ID_BYTES) }];
    });
  const hash = Buffer.from(root, "base64");
  if (end < 0 || origin === "" || !/^[0-9]{1,15}$/.test(size) || hash.length !== KEY_BYTES || signatures.length === 0)
    throw new Error("it is not a signed checkpoint");
  return { text, signatures, checkpoint: { origin, size: Number(size), root: hash.toString("hex") } };
}

/** Whether one of the keys has signed the note. */
export function isSignedByOne({ text, signatures }: SignedNote, verifiers: readonly NoteVerifier[]): boolean {
  return verifiers.some((verifier) => {
    const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, verifier.publicKey]), format: "der", type: "spki" });
    const id = keyIdOf(verifier);
    return signatures.some(
      ({ name, keyId, signature }) =>
        name === verifier.name && keyId === id && verify(null, Buffer.from(text), key, signature),
    );
  });
}
