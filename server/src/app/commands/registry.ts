import { clockInDoubt, guardBeside } from "../clock.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import { applyAllRetention, checkRegistry, collectRegistry, type RegistryFinding } from "#domain/registry/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openObjectsBeside, type ObjectsBeside } from "#stores/objects/index.ts";
import type { Config } from "../config.ts";
import { registrySettingsOf } from "../registry.ts";
import { upstreamOf } from "../upstream.ts";
import { LOCAL_OPTIONS, command, configOf, ExitCode, noMore, UsageError, type Option, type Parsed } from "./command.ts";
import { untilInterrupt } from "./interrupt.ts";
import { stderrLog, withMetadata } from "./stores.ts";

const USAGE = `
Usage: mooring registry gc [--json] [--data-dir DIR]
       mooring registry fsck [--quick] [--json] [--data-dir DIR]

gc    runs every repository's rules, and deletes unused blobs and manifests now, instead of at the next interval. Works with or
      without a running server; pushes and pulls continue. The server frees the disk space later.
fsck  checks that all content of every image exists and matches its digest, and that the counters are right. Changes nothing.

  mooring registry gc --data-dir ./data
  mooring registry fsck --quick --json

Exit codes: 0 done, and fsck found nothing, 1 fsck found something, 2 wrong usage, 130 interrupted.
`;

const OPTIONS: readonly Option[] = [
  { name: "quick", description: "fsck: compare sizes of blobs instead of reading them" },
  { name: "json", description: "print JSON: one object for each finding, then one with the totals" },
  ...LOCAL_OPTIONS,
];

export const registry = command(USAGE, OPTIONS, async (parsed) => {
  const [action, ...rest] = parsed.positionals;
  noMore(rest);
  if (action === "gc") return collect(parsed);
  if (action === "fsck") return check(parsed);
  throw new UsageError("name a subcommand: gc or fsck");
});

async function collect(parsed: Parsed): Promise<number> {
  const config = configOf(parsed);
  const totals = await withObjects(config, async (metadata, objects, clock) => {
    if (!clock.isTrusted()) throw clockInDoubt(clock);
    const deps = { metadata, objects, clock, settings: registrySettingsOf(config) };
    const rules = await applyAllRetention(deps);
    const { manifests, ...rest } = await collectRegistry(deps);
    return { ...rest, tags: rules.tags, manifests: manifests + rules.manifests };
  });
  const { tags, manifests, blobs, bytes, uploads } = totals;
  const text = `deleted ${tags} tags, ${manifests} manifests, ${blobs} blobs of ${bytes} bytes, ${uploads} uploads\n`;
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(totals)}\n` : text);
  return ExitCode.ok;
}

async function check(parsed: Parsed): Promise<number> {
  const config = configOf(parsed);
  const json = parsed.values["json"] === true;
  const found = (finding: RegistryFinding): void => {
    process.stdout.write(json ? `${JSON.stringify(finding)}\n` : readable(finding));
  };
  return untilInterrupt(async (signal) => {
    const quick = parsed.values["quick"] === true;
    const totals = await withObjects(config, (metadata, objects) =>
      checkRegistry({ metadata, objects, quick, found, signal: signal }),
    );
    const { manifests, blobs, findings } = totals;
    const seen = `checked ${manifests} manifests and ${blobs} blobs`;
    const text = findings === 0 ? `ok        ${seen}\n` : `FAIL      ${seen}: ${findings} findings\n`;
    process.stdout.write(json ? `${JSON.stringify(totals)}\n` : text);
    return findings === 0 ? ExitCode.ok : ExitCode.failed;
  });
}

async function withObjects<T>(
  config: Config,
  work: (metadata: MetadataStore, objects: ObjectsBeside, clock: ClockGuard) => Promise<T>,
): Promise<T> {
  return withMetadata(config, async (metadata) => {
    const clock = await guardBeside(config.data_dir, metadata);
    const options = { dataDir: config.data_dir, metadata, clock, log: stderrLog, ...upstreamOf(config) };
    const objects = await openObjectsBeside(options);
    try {
      return await work(metadata, objects, clock);
    } finally {
      await objects.close();
    }
  });
}

function readable({ kind, where, what, detail }: RegistryFinding): string {
  return `${kind.padEnd(9)} ${where} ${what}: ${detail}\n`;
}
