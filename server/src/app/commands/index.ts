import type { Command } from "./command.ts";
import { credential } from "./credential.ts";
import { ingest } from "./ingest/index.ts";
import { query } from "./query.ts";
import { serve } from "./serve.ts";
import { version } from "./version.ts";

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [serve, ingest, query, credential, version];

export function commandNamed(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}
