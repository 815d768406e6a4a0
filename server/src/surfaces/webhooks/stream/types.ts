import type { ServerResponse } from "node:http";

export interface StreamRequest {
  readonly orgId: string;
  readonly webhookId: string;
  readonly afterSeq: number;
  /** Checks the caller's permission again. @throws Problem when it is gone */
  readonly look: () => Promise<void>;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

/** The live streams of all organizations. */
export interface Streams {
  /** @throws Problem `unavailable`, `quota_exceeded` when no other stream can be opened */
  admit(orgId: string): void;
  /** Takes over the response and writes to it until the caller or the server ends it. */
  open(response: ServerResponse, request: StreamRequest): void;
  /** Ends all streams with a reason, and refuses new ones. */
  stop(): void;
}
