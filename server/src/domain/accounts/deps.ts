import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

export interface AccountsDeps {
  readonly metadata: Pick<MetadataStore, "read" | "write" | "lock" | "notify">;
  readonly clock: Clock;
}

/** The address and the id of a request. */
export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** The origin of commands that run on the server's machine. */
export const NOWHERE: Origin = { ip: null, requestId: null };
