import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const argon2 = promisify(argon2Callback);

/** OWASP's second choice for argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const LANES = 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const PHC =
  /^\$argon2id\$v=19\$m=([0-9]{1,7}),t=([0-9]{1,3}),p=([0-9]{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/**
 * Hashes with argon2id, in PHC form. It runs on the thread pool, and takes about 25 ms and 19 MiB, so callers make all
 * other checks first.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, bytes: HASH_BYTES });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Whether the password matches. @throws Error if the stored hash is not argon2id in PHC form */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const match = PHC.exec(phc);
  if (match === null) throw new Error("cannot verify a password: the stored hash is not argon2id");
  const [, memory, passes, lanes, salt = "", hash = ""] = match;
  const expected = Buffer.from(hash, "base64");
  const actual = await derive(password, Buffer.from(salt, "base64"), {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    bytes: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

function derive(
  password: string,
  salt: Buffer,
  cost: { memory: number; passes: number; lanes: number; bytes: number },
): Promise<Buffer> {
  return argon2("argon2id", {
    message: password.normalize("NFC"), // NFC: the same keys on another system must give the same bytes
    nonce: salt,
    memory: cost.memory,
    passes: cost.passes,
    parallelism: cost.lanes,
    tagLength: cost.bytes,
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
