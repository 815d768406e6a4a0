import {
  cancelRotation,
  forgetMasterKey,
  KEY_SETTLE_MS,
  keyStatus,
  rotateData,
  rotateMaster,
  RotationHeld,
  type Identity,
  type KeyStatus,
} from "#domain/identity/index.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { listBackups, openBackupPlace, presentBackupKey, type ListedBackup } from "../backup/index.ts";
import type { Config } from "../config.ts";
import { hasExternalKey } from "../master-keys.ts";
import { CommandError, LOCAL_OPTIONS, command, configOf, ExitCode, UsageError, type Option } from "./command.ts";
import { untilInterrupt } from "./interrupt.ts";
import { presentAddresses, withIdentity } from "./stores.ts";

const USAGE = `
Usage: mooring master-key status [--json] [--data-dir DIR]
       mooring master-key rotate [--data [--leaked]] [--data-dir DIR]
       mooring master-key cancel [--data-dir DIR]
       mooring master-key forget ID [--force] [--data-dir DIR]

The master key wraps the keys of the records, and these protect every stored secret. The commands work with or without a running server.

rotate         wraps the keys with a new master key. It adds the new key to master.key, waits until every server has both, and wraps all
               keys in one transaction. Keep a copy of the new master.key. With keys from settings or a service, change those first.
rotate --data  replaces the keys of the records too, and seals every stored secret again. It can be interrupted: run it again, and it
               continues. Tokens and presigned URLs of the old keys stay valid until they expire; with --leaked they end at once.
cancel         gives up a rotation of the master key that has not changed anything yet.
forget         removes an old master key from master.key. Backups that need it are listed, and it is kept unless you add --force.

  mooring master-key rotate --data-dir ./data
  mooring master-key rotate --data --data-dir ./data
  mooring master-key status --data-dir ./data

Exit codes: 0 done, 1 not done, 2 wrong usage, 130 interrupted. docs/how-to/rotate-the-master-key.md has the steps for several servers.
`;

const OPTIONS: readonly Option[] = [
  { name: "data", description: "replace the keys of the records, too" },
  { name: "leaked", description: "with --data: values that the old keys signed are void at once" },
  { name: "force", description: "with forget: also if backups need the key" },
  { name: "json", description: "with status: print JSON" },
  ...LOCAL_OPTIONS,
];

const ACTOR = { kind: "system", id: "command-line" } as const;
/** How long a node may take to report its keys. */
const NODES_MS = 30_000;
const ACTIONS = ["status", "rotate", "cancel", "forget"] as const;
type Action = (typeof ACTIONS)[number];

interface Flags {
  readonly data: boolean;
  readonly leaked: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

export const masterKey = command(USAGE, OPTIONS, async (parsed) => {
  const [action, id, ...rest] = parsed.positionals;
  const isSet = (name: string): boolean => parsed.values[name] === true;
  const flags = { data: isSet("data"), leaked: isSet("leaked"), force: isSet("force"), json: isSet("json") };
  if (!isAction(action)) throw new UsageError("name the action: status, rotate, cancel or forget");
  if ((action === "forget") !== (id !== undefined) || rest.length > 0)
    throw new UsageError("forget needs the id of one master key; the others have no arguments");
  if (flags.leaked && !flags.data) throw new UsageError("--leaked needs --data");
  const config = configOf(parsed);
  return untilInterrupt(async (signal) => {
    const addresses = await presentAddresses(config);
    return withIdentity(config, addresses, (identity, metadata) =>
      run(action, { config, identity, metadata, signal, flags, id: id ?? "" }),
    ).catch((error: unknown) => {
      throw error instanceof RotationHeld ? new CommandError(error.message) : error;
    });
  });
});

function isAction(text: string | undefined): text is Action {
  return ACTIONS.some((action) => action === text);
}

interface Run {
  readonly config: Config;
  readonly identity: Identity;
  readonly metadata: MetadataStore;
  readonly signal: AbortSignal;
  readonly flags: Flags;
  readonly id: string;
}

async function run(action: Action, { config, identity, metadata, signal, flags, id }: Run): Promise<number> {
  const { ring, envelope } = identity;
  const deps = {
    metadata,
    clock: systemClock,
    ring,
    dataDir: config.data_dir,
    isExternal: hasExternalKey(config),
    actor: ACTOR,
    waitMs: NODES_MS,
    say: (line: string) => void process.stderr.write(`${line}\n`),
  };
  if (action === "status") print(await keyStatus(deps), flags.json);
  else if (action === "cancel") say((await cancelRotation(deps)) ? "given up" : "there is no rotation");
  else if (action === "forget") await forget(config, flags, id, () => forgetMasterKey(deps, id));
  else if (flags.data)
    return sealAll(await rotateData({ ...deps, envelope, leaked: flags.leaked, settleMs: KEY_SETTLE_MS, signal }));
  else {
    const { from, to } = await rotateMaster(deps);
    say(`rotated   master key ${to} wraps the keys; keep a copy of it`);
    if (!deps.isExternal) say(`kept      master key ${from}; mooring master-key forget ${from} removes it`);
  }
  return ExitCode.ok;
}

function sealAll({ sealed, damaged }: { readonly sealed: number; readonly damaged: readonly string[] }): number {
  say(`rotated   ${sealed} values were sealed again`);
  for (const name of damaged) say(`damaged   ${name}: it can't be opened, and keeps its key`);
  return damaged.length === 0 ? ExitCode.ok : ExitCode.failed;
}

async function forget(config: Config, { force }: Flags, id: string, run_: () => Promise<void>): Promise<void> {
  const needing = (await keptBackups(config)).filter(({ backup }) => (backup?.facts.master_key_id ?? id) === id);
  for (const { name, backup } of needing)
    say(`needed by ${name}${backup === null ? " (it can't be read, so its key is unknown)" : ""}`);
  if (needing.length > 0 && !force)
    throw new CommandError(
      "the key was kept: these backups can't be opened without it. Delete them, keep a copy of the key, or add --force",
    );
  await run_();
  say(`forgotten master key ${id}. Backups elsewhere may still need it`);
}

async function keptBackups(config: Config): Promise<ListedBackup[]> {
  if (config.backup_dir === null) return [];
  const archive = await openBackupPlace(config, config.backup_dir);
  try {
    return await listBackups(archive, await presentBackupKey(config));
  } finally {
    archive.close();
  }
}

function print(status: KeyStatus, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(status)}\n` : readable(status));
}

function readable({ masterId, here, nodes, rotation, keys, oldValues, oldHashes }: KeyStatus): string {
  const counts = (list: Readonly<Record<string, number>>): string =>
    Object.entries(list)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ") || "none";
  const lines = [
    `master key      ${masterId} wraps the keys`,
    `on this node    ${here.join(", ")}`,
    ...nodes.map((node) => `server          ${node.id}: ${node.masterIds.join(", ") || "unknown"}`),
    `rotation        ${rotation === null ? "none" : `${rotation.kind}, step ${rotation.step}, master key ${rotation.master_id}`}`,
    `keys            ${counts(keys)}`,
    `old values      ${counts(oldValues)}`,
    `old hashes      ${counts(oldHashes)}`,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
