import {
  Digester,
  type BlobReader,
  type ByteRange,
  type DigestAlgorithm,
  type Digests,
} from "#stores/objects/index.ts";
import type { S3Deps } from "../deps.ts";
import type { ChecksumAlgorithm, ObjectVersion } from "../types/index.ts";

const DIGESTS: Readonly<Record<ChecksumAlgorithm, DigestAlgorithm>> = {
  CRC32: "crc32",
  CRC32C: "crc32c",
  CRC64NVME: "crc64nvme",
  SHA1: "sha1",
  SHA256: "sha256",
};

export function digestName(algorithm: ChecksumAlgorithm): DigestAlgorithm {
  return DIGESTS[algorithm];
}

/**
 * Returns the MD5 and checksum of a range of an object. It reads the bytes, unless the range is the whole object and
 * its content has the digests.
 */
export async function digestOf(
  deps: Pick<S3Deps, "objects">,
  orgId: string,
  what: { readonly source: ObjectVersion; readonly range: ByteRange; readonly algorithm: ChecksumAlgorithm | null },
): Promise<{ etag: string; checksum: string | null }> {
  const { source, range, algorithm } = what;
  const wanted: DigestAlgorithm[] = algorithm === null ? ["md5"] : ["md5", digestName(algorithm)];
  const reader = await deps.objects.open(orgId, source.blobId, { range });
  const digests = keptDigests(reader, wanted) ?? (await readDigests(reader, wanted));
  await reader.close();
  const checksum = algorithm === null ? undefined : digests[digestName(algorithm)];
  return {
    etag: digests.md5 ?? "",
    checksum: checksum === undefined ? null : Buffer.from(checksum, "hex").toString("base64"),
  };
}

function keptDigests(reader: BlobReader, wanted: readonly DigestAlgorithm[]): Digests | undefined {
  const kept = { ...reader.digests, ...(reader.sha256 === null ? {} : { sha256: reader.sha256 }) };
  const isWhole = reader.length === reader.size;
  return isWhole && wanted.every((name) => kept[name] !== undefined) ? kept : undefined;
}

async function readDigests(reader: BlobReader, wanted: readonly DigestAlgorithm[]): Promise<Digests> {
  const digester = new Digester(wanted);
  for await (const chunk of reader.chunks()) digester.update(chunk);
  return digester.finish();
}

/** Returns the digest of bytes in memory, in hexadecimal. */
export function digestOfBytes(algorithm: DigestAlgorithm, bytes: Uint8Array): string {
  const digester = new Digester([algorithm]);
  digester.update(bytes);
  return digester.finish()[algorithm] ?? "";
}
