import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "../types.ts";

export interface PostgresOptions {
  url: string;
  clock: Clock;
}

export async function openPostgres(_options: PostgresOptions): Promise<MetadataStore> {
  throw new Error("cannot open PostgreSQL: this driver is not written yet");
}
