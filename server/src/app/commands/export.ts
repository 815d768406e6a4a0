import { exportOrganization, type MoveManifest } from "#domain/moves/index.ts";
import { systemClock } from "#kernel/time.ts";
import { openObjectsBeside } from "#stores/objects/index.ts";
import { productManifest } from "../build-facts.ts";
import { guardBeside } from "../clock.ts";
import { upstreamOf } from "../upstream.ts";
import {
  CommandError,
  LOCAL_OPTIONS,
  command,
  configOf,
  ExitCode,
  noMore,
  requiredOption,
  type Option,
  type Parsed,
} from "./command.ts";
import { untilInterrupt } from "./interrupt.ts";
import { archiveAt, mebibytes, passphraseOf, progressBar } from "./moving.ts";
import { presentAddresses, stderrLog, withIdentity } from "./stores.ts";

const USAGE = `
Usage: mooring export --org ORG --to DIR|s3://BUCKET/PREFIX [--passphrase-file FILE] [--json] [--data-dir DIR]

Exports one organization, with or without a running server: telemetry as Parquet, files, buckets, images as an OCI layout, webhook
events, settings, members and the audit log as JSON. Each file is listed with its SHA-256, and manifest.json is written last. Records are those
of one moment, which the manifest names. If the export is interrupted, run it again: it copies only the missing files. The same command brings a
finished export up to date.

Without a passphrase, no secret leaves the server: credentials, S3 keys and webhooks need new secrets on the other server, and people a new
password. With --passphrase-file, the export has the secrets under the passphrase, and sign-ins continue there.

  mooring export --org acme --to /mnt/exports/acme --passphrase-file ./passphrase --data-dir ./data
  AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… mooring export --org acme --to s3://exports/acme
  mooring import --from /mnt/exports/acme --passphrase-file ./passphrase --data-dir ./other

A bucket is reached with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL. The server deletes nothing from the disk
meanwhile. Exit codes: 0 done, 1 not done, 2 wrong usage, 130 interrupted. Without manifest.json, an export is not finished.
`;

const OPTIONS: readonly Option[] = [
  { name: "org", value: "ORG", description: "organization to export (slug)" },
  { name: "to", value: "DIR", description: "directory, or s3://BUCKET/PREFIX" },
  { name: "passphrase-file", value: "FILE", description: "file whose first line protects the secrets in the export" },
  { name: "json", description: "print the manifest as JSON" },
  ...LOCAL_OPTIONS,
];

export const exportCommand = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const [slug, to] = [requiredOption(parsed, "org"), requiredOption(parsed, "to")];
  const passphrase = await passphraseOf(parsed);
  return untilInterrupt(async (signal) => {
    const bar = progressBar();
    try {
      const manifest = await run(parsed, { slug, to, passphrase, progress: bar.show, signal });
      bar.clear();
      process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(manifest)}\n` : readable(to, manifest));
      return ExitCode.ok;
    } catch (error) {
      bar.clear();
      if (signal.aborted || error instanceof CommandError) throw error;
      throw new CommandError(`${slug} was not exported: ${(error as Error).message}`);
    }
  });
});

type Wanted = Pick<Parameters<typeof exportOrganization>[1], "slug" | "passphrase" | "progress"> & {
  readonly to: string;
  readonly signal: AbortSignal;
};

async function run(parsed: Parsed, { to, ...wanted }: Wanted): Promise<MoveManifest> {
  const config = configOf(parsed);
  const archive = await archiveAt(to);
  const actor = { kind: "system", id: "command-line" } as const;
  const { data_dir: dataDir, database_url: url } = config;
  try {
    return await withIdentity(config, await presentAddresses(config), async (identity, metadata) => {
      const clock = await guardBeside(dataDir, metadata);
      const objects = await openObjectsBeside({ dataDir, metadata, clock, log: stderrLog, ...upstreamOf(config) });
      const source = { url: url ?? undefined, dataDir };
      const { version } = productManifest();
      try {
        const deps = { source, metadata, objects, identity, clock: systemClock, version };
        return await exportOrganization(deps, { ...wanted, archive, actor });
      } finally {
        await objects.close();
      }
    });
  } finally {
    archive.close();
  }
}

function readable(
  to: string,
  { organization, files, bytes, records_at: at, secrets, telemetry }: MoveManifest,
): string {
  const rows = Object.entries(telemetry).map(([type, count]) => `${count} ${type}`);
  const lines = [
    `${to}: ${organization.slug} as of ${at}, ${files} files of ${mebibytes(bytes)}`,
    `telemetry: ${rows.join(", ") || "none"}`,
  ];
  if (!secrets)
    lines.push("No secrets: credentials, keys and webhooks need new ones after an import, and people a new password.");
  return `${lines.join("\n")}\n`;
}
