import { importOrganization, type ImportDeps, type ImportedOrganization } from "#domain/moves/index.ts";
import { systemClock } from "#kernel/time.ts";
import { openObjects } from "#stores/objects/index.ts";
import { arrivingTelemetry } from "#stores/telemetry/index.ts";
import { guardBeside } from "../clock.ts";
import type { Config } from "../config.ts";
import { applyDeletions, noteDeletions } from "../backup/index.ts";
import { upstreamOf } from "../upstream.ts";
import {
  CommandError,
  LOCAL_OPTIONS,
  command,
  configOf,
  ExitCode,
  noMore,
  requiredOption,
  textOption,
  type Option,
} from "./command.ts";
import { untilInterrupt } from "./interrupt.ts";
import { archiveAt, passphraseOf, progressBar } from "./moving.ts";
import { presentAddresses, stderrLog, withIdentity } from "./stores.ts";

const USAGE = `
Usage: mooring import --from DIR|s3://BUCKET/PREFIX [--as SLUG] [--passphrase-file FILE] [--json] [--data-dir DIR]

Imports an organization that mooring export has exported, with the same ids. Stop the server of the data directory first. Every file is compared
with its SHA-256. All rows arrive in one transaction, so the organization appears when it is complete, or not at all. If the import is
interrupted, run it again: it copies only the missing files. The server deletes the contents of an import that does not continue.

Alerts and destinations of webhooks arrive paused. Both servers must have the same version. A person whose address has another account here
arrives without sign-in, because accounts are never linked by their address.

  mooring import --from /mnt/exports/acme --passphrase-file ./passphrase --data-dir ./data
  mooring import --from s3://exports/acme --as acme-2

A bucket is reached with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL.
Exit codes: 0 done, 1 not done, 2 wrong usage, 130 interrupted.
`;

const OPTIONS: readonly Option[] = [
  { name: "from", value: "DIR", description: "the export: a directory, or s3://BUCKET/PREFIX" },
  { name: "as", value: "SLUG", description: "slug on this server (default: as in the export)" },
  { name: "passphrase-file", value: "FILE", description: "file whose first line is the passphrase of the export" },
  { name: "json", description: "print JSON: {id, slug, state, secrets, unclaimed, deleted, tables, telemetry}" },
  ...LOCAL_OPTIONS,
];

/** The import is one transaction. Nothing else writes to the records, so it may take its time. */
const WAIT_MS = 600_000;

export const importCommand = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const from = requiredOption(parsed, "from");
  const slug = textOption(parsed, "as") ?? null;
  const passphrase = await passphraseOf(parsed);
  const config = configOf(parsed);
  return untilInterrupt(async (signal) => {
    const bar = progressBar();
    try {
      const { imported, deleted } = await run(config, { from, slug, passphrase, progress: bar.show, signal });
      bar.clear();
      process.stdout.write(
        parsed.values["json"] === true
          ? `${JSON.stringify(resultOf(imported, deleted))}\n`
          : readable(imported, deleted),
      );
      return ExitCode.ok;
    } catch (error) {
      bar.clear();
      if (signal.aborted || error instanceof CommandError) throw error;
      throw new CommandError(`nothing was imported: ${(error as Error).message}`);
    }
  });
});

type Wanted = Pick<Parameters<typeof importOrganization>[1], "slug" | "passphrase" | "progress"> & {
  readonly from: string;
  readonly signal: AbortSignal;
};

/** `deleted`: people of the export whose account was deleted on this server before. */
async function run(
  config: Config,
  { from, ...wanted }: Wanted,
): Promise<{ imported: ImportedOrganization; deleted: readonly string[] }> {
  const archive = await archiveAt(from);
  const actor = { kind: "system", id: "command-line" } as const;
  const { data_dir: dataDir } = config;
  const patient = { ...config, database_wait_ms: WAIT_MS, records_read_timeout_ms: WAIT_MS };
  try {
    return await withIdentity(
      patient,
      await presentAddresses(config),
      async (identity, metadata) => {
        const clock = await guardBeside(dataDir, metadata);
        const settings = { collectEveryMs: 0 };
        const stores = { dataDir, metadata, clock, log: stderrLog, settings, ...upstreamOf(config) };
        const objects = await openObjects(stores).catch((error: Error) => {
          throw new Error(`${error.message}. Stop the server of ${dataDir} during the import`, { cause: error });
        });
        try {
          const place = { dataDir, clock: systemClock };
          const arriveTelemetry: ImportDeps["arriveTelemetry"] = (orgId, files, copied) =>
            arrivingTelemetry(place, orgId, files, copied);
          const deps = { arriveTelemetry, metadata, objects, identity, clock: systemClock };
          // A person who was deleted here stays deleted: the next start reads the list, too.
          await noteDeletions(metadata, dataDir);
          const imported = await importOrganization(deps, { ...wanted, archive, actor });
          return { imported, deleted: await applyDeletions(dataDir, { metadata, clock: systemClock }) };
        } finally {
          await objects.close();
        }
      },
      "create",
    );
  } finally {
    archive.close();
  }
}

function resultOf(
  { manifest, slug, secrets, unclaimed, state }: ImportedOrganization,
  deleted: readonly string[],
): object {
  const { organization, tables, telemetry } = manifest;
  return { id: organization.id, slug, state, secrets, unclaimed, deleted, tables, telemetry };
}

function readable(
  { manifest, slug, secrets, unclaimed, state }: ImportedOrganization,
  deleted: readonly string[],
): string {
  const { tables, contents, records_at: at } = manifest;
  const counts = `${tables["member"] ?? 0} members, ${tables["credential"] ?? 0} credentials, ${contents} contents`;
  const lines = [`${slug} is here, as of ${at}: ${counts}`];
  if (!secrets)
    lines.push(
      "The export had no secrets. Give new ones: mooring credential rotate, mooring s3 keys rotate, mooring webhooks rotate; mooring account reset for people.",
    );
  for (const email of unclaimed)
    lines.push(`${email} has another account on this server, and arrived without sign-in: invite that account.`);
  if (deleted.length > 0)
    lines.push(`${deleted.length} people were deleted again, because this server has deleted them.`);
  if (state !== "active") lines.push(`It is still suspended (${state}): mooring operator resume ${slug} ends that.`);
  lines.push("Alerts and destinations of webhooks are paused: check their addresses, then resume them.");
  return `${lines.join("\n")}\n`;
}
