import type { Topic } from "../topic.ts";

export interface ConnectRequest {
  readonly topic: Topic;
  /** A credential that the snippets name; with its secret right after it was made. */
  readonly credential?: { readonly clientId: string; readonly clientSecret?: string | undefined } | undefined;
  /** The same of an access key of the S3 gateway. */
  readonly accessKey?: { readonly id: string; readonly secret?: string | undefined } | undefined;
  /** Slug of the app that repositories and buckets are shown of. */
  readonly app?: string | undefined;
}
