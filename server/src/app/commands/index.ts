import type { Command } from "./command.ts";

/** A command as the overview knows it; its code is loaded when it runs, so that a small one starts fast. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}

/** Every command, in the order of the overview. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "serve", summary: "run the product", load: async () => (await import("./serve.ts")).serve },
  {
    name: "bootstrap",
    summary: "find or make an organization, project and app, and a new credential",
    load: async () => (await import("./bootstrap.ts")).bootstrap,
  },
  {
    name: "ingest",
    summary: "send logs, metrics or traces from a file or standard input",
    load: async () => (await import("./ingest/index.ts")).ingest,
  },
  {
    name: "query",
    summary: "run a SQL statement over the telemetry",
    load: async () => (await import("./query/index.ts")).query,
  },
  {
    name: "tail",
    summary: "print log entries as they are taken",
    load: async () => (await import("./tail.ts")).tail,
  },
  {
    name: "files",
    summary: "store files, fetch, list and delete them",
    load: async () => (await import("./files/index.ts")).files,
  },
  {
    name: "credential",
    summary: "create, list, rotate and revoke credentials",
    load: async () => (await import("./credential.ts")).credential,
  },
  {
    name: "token",
    summary: "make a personal access token for a member",
    load: async () => (await import("./token.ts")).token,
  },
  {
    name: "account",
    summary: "make a link that resets a password; list accounts",
    load: async () => (await import("./account.ts")).account,
  },
  {
    name: "s3",
    summary: "create, list and revoke access keys of the S3 gateway",
    load: async () => (await import("./s3.ts")).s3,
  },
  {
    name: "registry",
    summary: "check container images, and let go of what no image needs",
    load: async () => (await import("./registry.ts")).registry,
  },
  {
    name: "webhooks",
    summary: "make addresses that take events; list, rotate and follow them",
    load: async () => (await import("./webhooks/index.ts")).webhooks,
  },
  {
    name: "audit",
    summary: "verify the audit log, and repair it",
    load: async () => (await import("./audit.ts")).audit,
  },
  {
    name: "keys",
    summary: "list, rotate and retire the keys that sign tokens",
    load: async () => (await import("./keys.ts")).keys,
  },
  {
    name: "nodes",
    summary: "show the servers' telemetry directories, and give up one that is lost",
    load: async () => (await import("./nodes.ts")).nodes,
  },
  {
    name: "quota",
    summary: "show and set what an organization may store and send",
    load: async () => (await import("./quota.ts")).quota,
  },
  {
    name: "scrub",
    summary: "look for stored content that is missing, altered or left over",
    load: async () => (await import("./scrub.ts")).scrub,
  },
  {
    name: "backup",
    summary: "back the data directory up, beside a running server",
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "restore",
    summary: "put a backup into a new data directory, and check it",
    load: async () => (await import("./restore.ts")).restore,
  },
  {
    name: "upgrade",
    summary: "bring the records to this version, or list what that would do",
    load: async () => (await import("./upgrade.ts")).upgrade,
  },
  {
    name: "clock",
    summary: "say whether the clock can be trusted to delete, and accept it",
    load: async () => (await import("./clock.ts")).clock,
  },
  {
    name: "doctor",
    summary: "check this installation, and say how to mend it",
    load: async () => (await import("./doctor/index.ts")).doctor,
  },
  {
    name: "config",
    summary: "print the settings in force, and where each comes from",
    load: async () => (await import("./config.ts")).config,
  },
  { name: "version", summary: "print the version", load: async () => (await import("./version.ts")).version },
];

export function commandNamed(name: string): CommandEntry | undefined {
  return COMMANDS.find((command) => command.name === name);
}
