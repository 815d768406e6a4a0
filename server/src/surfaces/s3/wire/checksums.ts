import { S3Error, type Checksum, type ChecksumAlgorithm } from "#domain/s3/index.ts";
import type { DigestAlgorithm } from "#stores/objects/index.ts";
import type { Fields } from "./fields.ts";

/** Our name of each algorithm, and the length of its value in bytes. */
const ENGINES = {
  CRC32: ["crc32", 4, "AAAAAA=="],
  CRC32C: ["crc32c", 4, "AAAAAA=="],
  CRC64NVME: ["crc64nvme", 8, "AAAAAAAAAAA="],
  SHA1: ["sha1", 20, "2jmj7l5rSw0yVb/vlWAYkK/YBwk="],
  SHA256: ["sha256", 32, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="],
} as const satisfies Record<ChecksumAlgorithm, readonly [DigestAlgorithm, bytes: number, ofNothing: string]>;

const PREFIX = "x-amz-checksum-";
/** Fields whose names begin like those of checksum fields. */
const OTHERS = new Set(["x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type"]);
const SDK_FIELD = "x-amz-sdk-checksum-algorithm";

export function digestOf(algorithm: ChecksumAlgorithm): DigestAlgorithm {
  return ENGINES[algorithm][0];
}

export function checksumFieldOf(algorithm: ChecksumAlgorithm): string {
  return PREFIX + algorithm.toLowerCase();
}

/** @throws S3Error `InvalidRequest` for an unknown name, `NotImplemented` for an unsupported algorithm */
export function algorithmNamed(name: string): ChecksumAlgorithm {
  const upper = name.toUpperCase();
  if (Object.hasOwn(ENGINES, upper)) return upper as ChecksumAlgorithm;
  if (/^(MD5|SHA512|XXHASH(3|64|128))$/.test(upper))
    throw new S3Error("NotImplemented", `The checksum algorithm ${upper} is not implemented.`);
  throw new S3Error(
    "InvalidRequest",
    "Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]",
  );
}

/** A checksum that a body must have. */
export interface ExpectedChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64; null: it comes in the trailers. */
  readonly value: string | null;
}

/**
 * Returns the checksum that a request gives for its body; null for none. The SDK for JavaScript always puts the
 * checksum of an empty body into a presigned URL's query; that one is ignored, since it was computed before the body
 * existed.
 * @param trailers names of the announced trailers
 * @throws S3Error `InvalidRequest`
 */
export function expectedChecksum(
  fields: Fields,
  hoisted: ReadonlySet<string>,
  trailers: readonly string[],
): ExpectedChecksum | null {
  const names = fields.names().filter((name) => name.startsWith(PREFIX) && !OTHERS.has(name));
  const announced = trailers.filter((name) => name.startsWith(PREFIX));
  if (names.length + announced.length > 1)
    throw new S3Error(
      "InvalidRequest",
      "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.",
    );
  const name = names[0] ?? announced[0];
  const sdk = fields.get(SDK_FIELD);
  if (name === undefined) {
    if (sdk === undefined || hoisted.has(SDK_FIELD)) return null;
    throw new S3Error(
      "InvalidRequest",
      `${SDK_FIELD} specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.`,
    );
  }
  const algorithm = algorithmNamed(name.slice(PREFIX.length));
  const value = names[0] === undefined ? null : checksumValue(algorithm, fields.get(name) ?? "");
  if (value !== null && hoisted.has(name) && value === ENGINES[algorithm][2]) return null;
  if (sdk !== undefined && sdk.toUpperCase() !== algorithm)
    throw new S3Error("InvalidRequest", `Value for ${SDK_FIELD} header is invalid.`);
  return { algorithm, value };
}

/** @throws S3Error `InvalidRequest` if the value is not base64 of the algorithm's length */
export function checksumValue(algorithm: ChecksumAlgorithm, text: string): string {
  const bytes = Buffer.from(text, "base64");
  const isWhole = bytes.length === ENGINES[algorithm][1] && bytes.toString("base64") === text;
  if (!isWhole) throw new S3Error("InvalidRequest", `Value for ${checksumFieldOf(algorithm)} header is invalid.`);
  return text;
}

export function hexOfBase64(text: string): string {
  return Buffer.from(text, "base64").toString("hex");
}

export function base64OfHex(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

export function checksumFields(checksum: Checksum | null): Record<string, string> {
  if (checksum === null) return {};
  return { [checksumFieldOf(checksum.algorithm)]: checksum.value, "x-amz-checksum-type": checksum.type };
}

/** Returns the checksum as elements, for example `ChecksumCRC32`. */
export function checksumElements(checksum: Checksum | null): Record<string, string> {
  if (checksum === null) return {};
  return { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type };
}

/** Returns `Content-MD5` in hexadecimal; undefined when it is absent. @throws S3Error `InvalidDigest` */
export function contentMd5(fields: Fields): string | undefined {
  const text = fields.get("content-md5");
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== 16 || bytes.toString("base64") !== text) throw new S3Error("InvalidDigest");
  return bytes.toString("hex");
}
