import { command, configOf, LOCAL_OPTIONS, noMore, UsageError, type Option, type Parsed } from "../command.ts";
import { create } from "./create.ts";
import { extract } from "./extract.ts";
import { key } from "./key.ts";
import { list } from "./list.ts";
import { PART_OPTIONS } from "./parts.ts";
import { prune } from "./prune.ts";
import { trial } from "./trial.ts";
import { verify } from "./verify.ts";

const USAGE = `
Usage: mooring backup [--to PLACE] [--with-master-key --passphrase-file FILE] [--json] [--data-dir DIR]
       mooring backup list|verify|prune|trial [--to PLACE] [--json] [--data-dir DIR]
       mooring backup extract --org ORG|--project ORG/PROJECT|--bucket ORG/BUCKET|--file FILE --into DIR --passphrase-file FILE [--name NAME]
       mooring backup key [--confirm FILE] [--data-dir DIR]

Backs up the data directory to a PLACE, with or without a running server: records, telemetry and content of the same moment, with
everything that was acknowledged before the start. PLACE is a directory, or s3://BUCKET/PREFIX. Backups are encrypted. A second backup
adds only what has changed. Content in the bucket of objects_s3_bucket is not backed up.

list    lists the backups of PLACE, newest first
verify  checks that every backup is complete, and compares packs with their checksums: all, or a part (--part 0.1)
prune   deletes backups by backup_keep, backup_keep_hourly, _daily, _weekly and _monthly, or those of --delete NAME, and what no backup needs
trial   restores the newest backup into a temporary directory, checks it and deletes it. If it is too large: the records, and a part of the packs
extract writes a part of a backup to DIR, as mooring export does. mooring restore takes a part into a running server
key     prints the key that encrypts backups. Keep a copy elsewhere: without it, nobody can restore. --confirm compares your copy

The key is in the data directory (backup.key), or in backup_key. The first backup creates it. The backup has no master key, unless you add
--with-master-key: the passphrase protects it. A bucket is reached with backup_s3_access_key_id and backup_s3_secret_access_key, or with
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL. PLACE also gets the ids of deleted people: a restore of an
older backup deletes them again.

  mooring backup --to /mnt/backups --data-dir ./data
  mooring backup list --to /mnt/backups
  mooring backup verify --to s3://backups/mooring --part 0.05
  mooring backup key --data-dir ./data
  mooring backup key --confirm /media/usb/backup.key

Exit codes: 0 done, 1 not done, or verify or trial found faults, 2 wrong usage, 130 interrupted.
`;

const OPTIONS: readonly Option[] = [
  { name: "to", value: "PLACE", description: "place of backups (default: backup_dir)" },
  { name: "with-master-key", description: "also put the master key into the backup" },
  {
    name: "passphrase-file",
    value: "FILE",
    description: "file whose first line protects the master key in the backup",
  },
  { name: "key-file", value: "FILE", description: "file with the backup key (default: backup_key, or backup.key)" },
  { name: "part", value: "NUMBER", description: "verify: the part of the packs to read, from 0 to 1 (default 1)" },
  ...PART_OPTIONS,
  { name: "into", value: "DIR", description: "extract: a new directory" },
  { name: "name", value: "NAME", description: "extract: the backup (default: the newest)" },
  { name: "delete", value: "NAME", multiple: true, description: "prune: delete only this backup; repeatable" },
  { name: "confirm", value: "FILE", description: "key: compare the copy in FILE, and note that it exists" },
  { name: "json", description: "print JSON" },
  ...LOCAL_OPTIONS,
];

const VERBS: Readonly<Record<string, (parsed: Parsed) => Promise<number>>> = {
  create,
  list,
  verify,
  prune,
  trial,
  extract,
  key,
};

export const backup = command(USAGE, OPTIONS, async (parsed) => {
  const [verb = "create", ...rest] = parsed.positionals;
  noMore(rest);
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run === undefined)
    throw new UsageError(`there is no subcommand ${verb}: use list, verify, prune, trial, extract or key`);
  configOf(parsed); // its mistakes come first
  return run(parsed);
});
