import { S3Client } from "@aws-sdk/client-s3";
import { BlobDamaged, storageProblem } from "../errors.ts";

/** Where an upstream store is, and how it is spoken to. */
export interface S3Settings {
  /** `https://…`; AWS itself when not given. */
  readonly endpoint?: string;
  readonly region: string;
  readonly bucket: string;
  /** Begins every key; empty, or ends with `/`. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** The bucket is in the path, not in the host: what most stores but AWS want. */
  readonly forcePathStyle: boolean;
  /** Blobs larger than this are sent in parts of this size; 5 MiB at least. */
  readonly partBytes: number;
  /** Parts of one blob under way at once, each of them in memory. */
  readonly partsUnderWay: number;
  readonly attempts: number;
  readonly connectTimeoutMs: number;
  /** A connection on which nothing moves for so long is given up. */
  readonly idleTimeoutMs: number;
  /** A copy within the store says nothing until it is done. */
  readonly copyTimeoutMs: number;
  readonly connectionsMax: number;
  /** Uploads and downloads by presigned URLs go straight to the store. */
  readonly direct: boolean;
  /** Where clients reach the store, when that is another address than ours. */
  readonly publicEndpoint?: string;
}

const MIB = 1024 * 1024;

export const S3_DEFAULTS = {
  region: "us-east-1",
  prefix: "",
  forcePathStyle: true,
  partBytes: 8 * MIB,
  partsUnderWay: 2,
  attempts: 4,
  connectTimeoutMs: 5000,
  idleTimeoutMs: 30_000,
  copyTimeoutMs: 900_000,
  connectionsMax: 256,
  direct: false,
} as const satisfies Partial<S3Settings>;

export function clientOf(settings: S3Settings): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken, connectionsMax: maxSockets } = settings;
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    forcePathStyle: settings.forcePathStyle,
    maxAttempts: settings.attempts,
    // Ranges have no checksum; scrub compares whole blobs with their SHA-256.
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: settings.connectTimeoutMs,
      socketTimeout: settings.idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

/** The status of an answer that the client made an error of. */
export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
}

/** The answer to the caller for an error of the client. */
export function upstreamProblem(error: unknown): Error {
  return error instanceof BlobDamaged ? error : storageProblem(error);
}

/** Waits for the answer, or undefined where the answer is 404. */
export async function unlessAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw upstreamProblem(error);
  });
}
