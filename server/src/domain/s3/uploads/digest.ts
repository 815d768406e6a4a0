import { Digester, type ByteRange, type DigestAlgorithm } from "#stores/objects/index.ts";
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

/** Reads a range of an object for its MD5 and its checksum. */
export async function digestOf(
  deps: Pick<S3Deps, "objects">,
  orgId: string,
  what: { readonly source: ObjectVersion; readonly range: ByteRange; readonly algorithm: ChecksumAlgorithm | null },
): Promise<{ etag: string; checksum: string | null }> {
  const { source, range, algorithm } = what;
  const digester = new Digester(algorithm === null ? ["md5"] : ["md5", digestName(algorithm)]);
  const reader = await deps.objects.open(orgId, source.blobId, { range });
  for await (const chunk of reader.chunks()) digester.update(chunk);
  const digests = digester.finish();
  const checksum = algorithm === null ? undefined : digests[digestName(algorithm)];
  return {
    etag: digests.md5 ?? "",
    checksum: checksum === undefined ? null : Buffer.from(checksum, "hex").toString("base64"),
  };
}

/** Of bytes in memory, in hexadecimal. */
export function digestOfBytes(algorithm: DigestAlgorithm, bytes: Uint8Array): string {
  const digester = new Digester([algorithm]);
  digester.update(bytes);
  return digester.finish()[algorithm] ?? "";
}
