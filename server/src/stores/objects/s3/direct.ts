import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { Clock } from "#kernel/time.ts";
import type { AllowedUpload, Arrival, ArrivalPlace, DirectDriver, DownloadAs } from "../driver.ts";
import { clientOf, statusOf, unlessAbsent, upstreamProblem, type S3Settings } from "./client.ts";
import { presign } from "./presign.ts";

export interface S3DirectOptions {
  readonly settings: S3Settings;
  readonly client: S3Client;
  readonly clock: Clock;
  readonly keyOf: (blobId: string) => string;
}

/** 404: the object is gone. 409, 412: it has changed. */
const CHANGED = new Set([404, 409, 412]);
const NAME = /^[A-Za-z0-9_-]+$/;

/** Creates URLs to the store itself. Uploads by them arrive under `{prefix}incoming/{organization}/{name}`. */
export class S3Direct implements DirectDriver {
  readonly #options: S3DirectOptions;
  readonly #copier: S3Client;

  constructor(options: S3DirectOptions) {
    this.#options = options;
    const { copyTimeoutMs } = options.settings;
    this.#copier = clientOf({ ...options.settings, idleTimeoutMs: copyTimeoutMs });
  }

  uploadUrl(at: ArrivalPlace, { contentType, size, lifetimeS }: AllowedUpload): string {
    const length = size === null ? {} : { "content-length": String(size) };
    const headers = { "content-type": contentType, ...length };
    return this.#presigned({ method: "PUT", key: this.#key(at), headers, lifetimeS });
  }

  downloadUrl(id: string, { contentType, disposition, cacheControl, lifetimeS }: DownloadAs): string {
    const query = {
      "response-content-type": contentType,
      "response-content-disposition": disposition,
      "response-cache-control": cacheControl,
    };
    return this.#presigned({ method: "GET", key: this.#options.keyOf(id), query, lifetimeS });
  }

  async *arrivals(orgId?: string): AsyncGenerator<Arrival> {
    const { client, settings } = this.#options;
    const all = `${settings.prefix}incoming/`;
    const input = { Bucket: settings.bucket, Prefix: orgId === undefined ? all : `${all}${orgId}/` };
    let token: string | undefined;
    do {
      const more = token === undefined ? {} : { ContinuationToken: token };
      const page = await client.send(new ListObjectsV2Command({ ...input, ...more })).catch((error: unknown) => {
        throw upstreamProblem(error);
      });
      for (const { Key = "", Size = 0, ETag = "" } of page.Contents ?? []) {
        const [org = "", name = "", ...rest] = Key.slice(all.length).split("/");
        // A store with directories may list them as well.
        if (NAME.test(org) && NAME.test(name) && rest.length === 0) yield { orgId: org, name, size: Size, etag: ETag };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  async arrival(at: ArrivalPlace): Promise<Arrival | undefined> {
    const { client, settings } = this.#options;
    const input = { Bucket: settings.bucket, Key: this.#key(at) };
    const found = await unlessAbsent(client.send(new HeadObjectCommand(input)));
    if (found === undefined) return undefined;
    return { orgId: at.orgId, name: at.name, size: found.ContentLength ?? 0, etag: found.ETag ?? "" };
  }

  async copy(arrival: Arrival, id: string): Promise<string | null | undefined> {
    const { settings, keyOf } = this.#options;
    const from = [settings.bucket, ...this.#key(arrival).split("/")].map(encodeURIComponent).join("/");
    const input = {
      Bucket: settings.bucket,
      Key: keyOf(id),
      CopySource: from,
      CopySourceIfMatch: arrival.etag,
      // The store reads the content during the copy, so we need not.
      ChecksumAlgorithm: "SHA256",
    } as const;
    try {
      const { CopyObjectResult: result } = await this.#copier.send(new CopyObjectCommand(input));
      const sha256 = Buffer.from(result?.ChecksumSHA256 ?? "", "base64");
      return sha256.length === 32 ? sha256.toString("hex") : null;
    } catch (error) {
      if (CHANGED.has(statusOf(error) ?? 0)) return undefined;
      throw upstreamProblem(error);
    }
  }

  async forget(at: ArrivalPlace): Promise<void> {
    const { client, settings } = this.#options;
    const input = { Bucket: settings.bucket, Key: this.#key(at) };
    await unlessAbsent(client.send(new DeleteObjectCommand(input)));
  }

  close(): void {
    this.#copier.destroy();
  }

  #presigned(request: Omit<Parameters<typeof presign>[1], "nowMs">): string {
    const { settings, clock } = this.#options;
    const { publicEndpoint } = settings;
    const reached = publicEndpoint === undefined ? settings : { ...settings, endpoint: publicEndpoint };
    return presign(reached, { ...request, nowMs: clock.nowMs() });
  }

  #key({ orgId, name }: ArrivalPlace): string {
    return `${this.#options.settings.prefix}incoming/${orgId}/${name}`;
  }
}
