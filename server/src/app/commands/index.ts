import { API_NOUNS } from "./api/nouns.ts";
import type { Command } from "./command.ts";

/** An entry of the overview. The command's code is loaded when it runs, so that small commands start fast. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}

/** Every command, in the order of the overview. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "serve", summary: "run the product", load: loadServe },
  {
    name: "login",
    summary: "sign in as yourself, with a browser or a code",
    load: async () => (await import("./login/index.ts")).login,
  },
  {
    name: "logout",
    summary: "end your login",
    load: async () => (await import("./login/index.ts")).logout,
  },
  {
    name: "auth",
    summary: "show your logins, and where they are kept",
    load: async () => (await import("./login/index.ts")).auth,
  },
  {
    name: "bootstrap",
    summary: "create or reuse an organization, project and app, and create a credential",
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
    summary: "print log entries as they arrive",
    load: async () => (await import("./tail.ts")).tail,
  },
  {
    name: "files",
    summary: "upload, download, list and delete files",
    load: async () => (await import("./files/index.ts")).files,
  },
  {
    name: "credential",
    summary: "create, list, rotate and revoke credentials",
    load: async () => (await import("./credential.ts")).credential,
  },
  {
    name: "ingest-key",
    summary: "create a key that only sends telemetry",
    load: async () => (await import("./ingest-key.ts")).ingestKey,
  },
  {
    name: "leak",
    summary: "find the owner of a leaked secret, and replace or end what may be known",
    load: async () => (await import("./leak/index.ts")).leak,
  },
  {
    name: "token",
    summary: "create a personal access token for a member",
    load: async () => (await import("./token.ts")).token,
  },
  {
    name: "account",
    summary: "create a link that resets a password; list accounts",
    load: async () => (await import("./account.ts")).account,
  },
  {
    name: "operator",
    summary: "manage operators, and suspend, rename and limit organizations",
    load: async () => (await import("./operator.ts")).operator,
  },
  {
    name: "s3",
    summary: "create, list and revoke access keys of the S3 gateway",
    load: async () => (await import("./s3.ts")).s3,
  },
  {
    name: "registry",
    summary: "check container images, and delete unused content",
    load: async () => (await import("./registry.ts")).registry,
  },
  {
    name: "webhooks",
    summary: "create addresses that accept events; list, rotate and follow them",
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
    name: "master-key",
    summary: "rotate the master key and the keys that protect stored secrets",
    load: async () => (await import("./master-key.ts")).masterKey,
  },
  {
    name: "nodes",
    summary: "list the servers' telemetry directories, and give up a lost one",
    load: async () => (await import("./nodes.ts")).nodes,
  },
  {
    name: "quota",
    summary: "show and set what an organization may store and send",
    load: async () => (await import("./quota.ts")).quota,
  },
  {
    name: "scrub",
    summary: "find stored content that is missing, altered or unused",
    load: async () => (await import("./scrub.ts")).scrub,
  },
  {
    name: "backup",
    summary: "back up the data directory; list, verify and prune backups",
    load: async () => (await import("./backup/index.ts")).backup,
  },
  {
    name: "restore",
    summary: "restore a backup into a new data directory, and check it",
    load: async () => (await import("./restore.ts")).restore,
  },
  {
    name: "export",
    summary: "export an organization, to move it to another server",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "import",
    summary: "import an organization from another server",
    load: async () => (await import("./import.ts")).importCommand,
  },
  {
    name: "upgrade",
    summary: "upgrade the records to this version, or list the changes",
    load: async () => (await import("./upgrade.ts")).upgrade,
  },
  {
    name: "clock",
    summary: "show whether the clock is trusted for deletions, and accept it",
    load: async () => (await import("./clock.ts")).clock,
  },
  {
    name: "doctor",
    summary: "check this installation, and show how to repair it",
    load: async () => (await import("./doctor/index.ts")).doctor,
  },
  {
    name: "healthcheck",
    summary: "ask the server of a data directory whether it can answer requests",
    load: async () => (await import("./healthcheck.ts")).healthcheck,
  },
  {
    name: "config",
    summary: "print the settings and the source of each, or check them",
    load: async () => (await import("./config.ts")).config,
  },
  {
    name: "completion",
    summary: "print a script that completes commands in bash, zsh or fish",
    load: async () => (await import("./completion.ts")).completionOf(COMMANDS.map(({ name }) => name)),
  },
  { name: "version", summary: "print the version", load: async () => (await import("./version.ts")).version },
];

/** The check comes before the import, which loads native code. */
async function loadServe(): Promise<Command> {
  const fault = (await import("../platform.ts")).platformFault();
  if (fault !== null) throw new Error(fault);
  return (await import("./serve.ts")).serve;
}

/**
 * Finds the command of these words. A command that is written by hand comes first, unless the verb is an operation of
 * the API that it does not have.
 */
export function commandNamed(name: string, verb?: string): Pick<CommandEntry, "load"> | undefined {
  const written = COMMANDS.find((command) => command.name === name);
  const verbs = Object.hasOwn(API_NOUNS, name) ? API_NOUNS[name] : undefined;
  if (verbs === undefined) return written;
  if (written === undefined || (verb !== undefined && verbs.includes(verb)))
    return { load: async () => (await import("./api/index.ts")).apiCommand(name) };
  return { load: async () => withMore(await written.load(), name, verbs) };
}

/** Adds the operations of the API to the help of a command that is written by hand. */
function withMore(written: Command, name: string, verbs: readonly string[]): Command {
  return {
    run: async (args) => {
      const code = await written.run(args);
      if (args.includes("--help") || args.includes("-h"))
        process.stdout.write(`\nMore of the API: ${verbs.map((verb) => `mooring ${name} ${verb}`).join(", ")}.\n`);
      return code;
    },
  };
}
