import type { BUCKET_ROUTES } from "@mooring/contract";
import type { S3Domain } from "#domain/s3/index.ts";
import type { Signatures } from "#domain/identity/index.ts";
import type { HttpHost, Operation } from "#http/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Reply, Request } from "./wire/request.ts";

export interface BucketsSurfaceDeps {
  readonly host: HttpHost;
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly envelope: Pick<Signatures, "secretOf" | "keyName">;
  readonly domain: Pick<S3Domain, "access" | "buckets" | "listings" | "objects">;
  readonly gateway: GatewayLink;
  /** The address of the API, for URLs of the same origin. */
  readonly apiUrl: string;
}

/** The functions of the gateway that this surface needs; the gateway moves all content. */
export interface GatewayLink {
  /** The gateway's public address. */
  readonly endpoint: string;
  /** Signs a path and its query below the gateway's address. */
  presign(request: {
    readonly method: "GET" | "PUT";
    readonly bucket: string;
    readonly key: string;
    readonly query: readonly { readonly name: string; readonly value: string }[];
    readonly headers?: Readonly<Record<string, string>>;
    readonly accessKeyId: string;
    readonly secret: string;
    readonly atMs: number;
    readonly lifetimeS: number;
  }): string;
  /** Answers a request that came to another listener. */
  handle(request: Request, reply: Reply): void;
}

export type BucketOperation<Name extends keyof typeof BUCKET_ROUTES> = Operation<
  BucketsSurfaceDeps,
  (typeof BUCKET_ROUTES)[Name]
>;
