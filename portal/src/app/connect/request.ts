import type { Topic } from "../topic.ts";

export interface ConnectRequest {
  readonly topic: Topic;
  /** The credential in the snippets; with its secret right after its creation. */
  readonly credential?: { readonly clientId: string; readonly clientSecret?: string | undefined } | undefined;
  /** The S3 key in the snippets; with its secret right after its creation. */
  readonly accessKey?: { readonly id: string; readonly secret?: string | undefined } | undefined;
  /** Slug of the app in the snippets. */
  readonly app?: string | undefined;
}
