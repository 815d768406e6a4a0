import type { Agent, AgentOptions } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import { S3Client } from "@aws-sdk/client-s3";
import { BlobDamaged, storageProblem } from "../errors.ts";

/** How to connect to an upstream store. */
export interface S3Settings {
  /** `https://…`; AWS when absent. */
  readonly endpoint?: string;
  readonly region: string;
  readonly bucket: string;
  /** The prefix of every key; empty, or ends with `/`. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Puts the bucket into the path, not the host name. Most stores except AWS need this. */
  readonly forcePathStyle: boolean;
  /** Larger blobs are sent in parts of this size, at least 5 MiB. */
  readonly partBytes: number;
  /** Parts of one blob that are sent at once. Each of them is in memory. */
  readonly partsUnderWay: number;
  readonly attempts: number;
  readonly connectTimeoutMs: number;
  /** A connection without traffic for this long is closed. */
  readonly idleTimeoutMs: number;
  /** The limit for copies within the store, which send nothing until they are done. */
  readonly copyTimeoutMs: number;
  readonly connectionsMax: number;
  /** Whether clients upload and download directly at the store, by presigned URLs. */
  readonly direct: boolean;
  /** Makes agents that lead through a proxy. Absent: connections go to the store. */
  readonly agents?: {
    http(options: AgentOptions): Agent;
    https(options: AgentOptions): SecureAgent;
  };
  /** The clients' address of the store, when it differs from ours. */
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
    // Ranges have no checksum. Scrub compares whole blobs with their SHA-256.
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: settings.connectTimeoutMs,
      socketTimeout: settings.idleTimeoutMs,
      httpAgent: settings.agents?.http(agent) ?? agent,
      httpsAgent: settings.agents?.https(agent) ?? agent,
    },
  });
}

/** Returns the HTTP status in an error of the S3 client. */
export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
}

/** Returns the answer to our client for an error of the S3 client. */
export function upstreamProblem(error: unknown): Error {
  return error instanceof BlobDamaged ? error : storageProblem(error);
}

/** Awaits the answer. Returns undefined for a 404. */
export async function unlessAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw upstreamProblem(error);
  });
}
