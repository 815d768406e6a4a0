import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** What everything about accounts works on. */
export interface AccountsDeps {
  readonly metadata: Pick<MetadataStore, "read" | "write" | "lock" | "notify">;
  readonly clock: Clock;
}

/** From where a request came. */
export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** What the command line does on the server's machine. */
export const NOWHERE: Origin = { ip: null, requestId: null };
