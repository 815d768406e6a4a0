import type { Command } from "./command.ts";
import { audit } from "./audit.ts";
import { bootstrap } from "./bootstrap.ts";
import { config } from "./config.ts";
import { credential } from "./credential.ts";
import { ingest } from "./ingest/index.ts";
import { keys } from "./keys.ts";
import { query } from "./query.ts";
import { serve } from "./serve.ts";
import { version } from "./version.ts";

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [serve, bootstrap, ingest, query, credential, audit, keys, config, version];

export function commandNamed(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}
