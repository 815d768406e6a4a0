import type { IdentityOptions } from "#domain/identity/index.ts";
import type { Config } from "./config.ts";
import { keyCommand } from "./key-command.ts";

/** The master keys of the configuration. */
export function masterKeysOf(
  config: Pick<Config, "master_key" | "master_key_previous" | "master_key_command">,
): Pick<IdentityOptions, "masterKey" | "masterKeyPrevious" | "keyService"> {
  const { master_key: masterKey, master_key_previous: previous, master_key_command: path } = config;
  return {
    masterKey: masterKey ?? undefined,
    masterKeyPrevious: previous ?? undefined,
    keyService: path === null ? undefined : keyCommand(path),
  };
}

/** Whether no file in the data directory has the present master key. */
export function hasExternalKey(
  config: Pick<Config, "master_key" | "master_key_previous" | "master_key_command">,
): boolean {
  return config.master_key !== null || config.master_key_previous !== null || config.master_key_command !== null;
}
