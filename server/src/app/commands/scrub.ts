import { CONTENT_OWNER } from "#domain/registry/index.ts";
import { earlier, type Cutoff } from "#kernel/deletions.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import { scrubObjects, type Finding, type ReferenceColumn, type ScrubProgress } from "#stores/objects/index.ts";
import { clockInDoubt, guardBeside } from "../clock.ts";
import type { Config } from "../config.ts";
import { upstreamOf } from "../upstream.ts";
import { LOCAL_OPTIONS, command, configOf, ExitCode, noMore, type Option, type Parsed } from "./command.ts";
import { untilInterrupt } from "./interrupt.ts";
import { stderrLog, withMetadata } from "./stores.ts";

const USAGE = `
Usage: mooring scrub [--quick] [--delete-orphans] [--json] [--data-dir DIR]

Checks all stored content of files, with or without a running server. Finds content that is missing, cut or altered, content without a
record, records without content, and wrong counts. Content that is written or deleted meanwhile is not reported. It changes nothing,
unless you add --delete-orphans: that deletes content without a record that is older than object_grace_ms. Don't use it after you
restored older records.

  mooring scrub --data-dir ./data
  mooring scrub --delete-orphans
  mooring scrub --quick --json

Exit codes: 0 no faults, 1 faults were found, 2 wrong usage, 130 interrupted.
`;

const OPTIONS: readonly Option[] = [
  { name: "quick", description: "compare sizes only, instead of reading every byte" },
  { name: "delete-orphans", description: "delete content without a record" },
  { name: "json", description: "print JSON: one object for each finding, then one with the totals" },
  ...LOCAL_OPTIONS,
];

/** Every column that refers to content. If one is missing here, scrub reports wrong counts. */
export const CONTENT_COLUMNS: readonly ReferenceColumn[] = [
  { table: "file", column: "blob_id", orgColumn: "org_id" },
  { table: "upload_part", column: "blob_id", orgColumn: "org_id" },
  { table: "s3_object", column: "blob_id", orgColumn: "org_id" },
  { table: "s3_history", column: "blob_id", orgColumn: "org_id" },
  { table: "s3_part", column: "blob_id", orgColumn: "org_id" },
  { table: "registry_blob", column: "blob_id", owner: CONTENT_OWNER },
  { table: "registry_upload_part", column: "blob_id", owner: CONTENT_OWNER },
  { table: "registry_manifest", column: "blob_id", owner: CONTENT_OWNER },
  { table: "webhook_body", column: "blob_id", orgColumn: "org_id" },
  { table: "trashed_file", column: "blob_id", orgColumn: "org_id" },
];

const PROGRESS_MS = 500;

export const scrub = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  return untilInterrupt(async (signal) => {
    const totals = await run(parsed, signal);
    return totals.findings === 0 ? ExitCode.ok : ExitCode.failed;
  });
});

async function run(parsed: Parsed, signal: AbortSignal): Promise<ScrubProgress> {
  const config = configOf(parsed);
  const json = parsed.values["json"] === true;
  const bar = process.stderr.isTTY ? createProgress() : undefined;
  const found = (finding: Finding): void => {
    bar?.clear();
    process.stdout.write(json ? `${JSON.stringify(finding)}\n` : readable(finding));
  };
  const deleted = (id: string, bytes: number): void => {
    bar?.clear();
    process.stdout.write(
      json ? `${JSON.stringify({ kind: "deleted", what: id, bytes })}\n` : `deleted   ${id}: ${bytes} bytes\n`,
    );
  };
  const totals = await withMetadata(config, async (metadata) => {
    const clock = await guardBeside(config.data_dir, metadata);
    const orphans = parsed.values["delete-orphans"] === true ? orphansBefore(config, clock) : null;
    return scrubObjects(
      { dataDir: config.data_dir, metadata, clock, log: stderrLog, ...upstreamOf(config) },
      {
        references: CONTENT_COLUMNS,
        quick: parsed.values["quick"] === true,
        found,
        ...(orphans === null ? {} : { deleteOrphansBefore: orphans, deleted }),
        signal,
        ...(bar === undefined ? {} : { progress: bar.show }),
      },
    );
  });
  bar?.clear();
  process.stdout.write(json ? `${JSON.stringify(totals)}\n` : summaryOf(totals));
  return totals;
}

function orphansBefore(config: Config, clock: ClockGuard): Cutoff {
  const nowMs = clock.deletionTime("orphans");
  if (nowMs === null) throw clockInDoubt(clock);
  return earlier(nowMs, config.object_grace_ms);
}

function readable({ kind, what, detail }: Finding): string {
  return `${kind.padEnd(9)} ${what}: ${detail}\n`;
}

function summaryOf({ blobs, bytes, stored, deleted, findings }: ScrubProgress): string {
  const gone = deleted === 0 ? "" : `, and deleted ${deleted} of them`;
  const seen = `checked ${blobs} blobs of ${mebibytes(bytes)} in the records, and ${stored} files in the store${gone}`;
  return findings === 0 ? `ok        ${seen}\n` : `FAIL      ${seen}: ${findings} findings\n`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Redraws one line on the terminal. */
function createProgress(): { show: (progress: ScrubProgress) => void; clear: () => void } {
  let shownMs = 0;
  const clear = (): void => void process.stderr.write("\r\u001b[K");
  return {
    clear,
    show: ({ blobs, bytes, stored, findings }) => {
      const nowMs = performance.now();
      if (nowMs - shownMs < PROGRESS_MS) return;
      shownMs = nowMs;
      clear();
      process.stderr.write(`${blobs} blobs, ${mebibytes(bytes)}, ${stored} stored, ${findings} findings`);
    },
  };
}
