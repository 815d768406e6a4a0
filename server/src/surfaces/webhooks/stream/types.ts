import type { ServerResponse } from "node:http";

export interface StreamRequest {
  readonly orgId: string;
  readonly webhookId: string;
  readonly afterSeq: number;
  /** Asks again whether the caller may see this. @throws Problem when not */
  readonly look: () => Promise<void>;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

/** The live streams of all organizations. */
export interface Streams {
  /** @throws Problem `unavailable`, `quota_exceeded` when there can't be one more */
  admit(orgId: string): void;
  /** Takes the response over and writes to it until one of the two ends it. */
  open(response: ServerResponse, request: StreamRequest): void;
  /** Ends all, with a word about why, and refuses new ones. */
  stop(): void;
}
