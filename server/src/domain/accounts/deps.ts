import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** The dependencies of the code about accounts. */
export interface AccountsDeps {
  readonly metadata: Pick<MetadataStore, "read" | "write" | "lock" | "notify">;
  readonly clock: Clock;
}

/** From where a request came. */
export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** The origin of acts of the command line on the server's machine. */
export const NOWHERE: Origin = { ip: null, requestId: null };
