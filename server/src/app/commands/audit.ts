import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { repairAudit, verifyAudit, type AuditVerdict, type Cut } from "#domain/audit/index.ts";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import {
  CommandError,
  LOCAL_OPTIONS,
  command,
  configOf,
  ExitCode,
  textOption,
  UsageError,
  type Option,
  type Parsed,
} from "./command.ts";
import { listOrganizations } from "./store.ts";
import { connect, CONNECTION_OPTIONS } from "./connection.ts";
import {
  comparedLine,
  compareFiles,
  isGood,
  keptCheckpoints,
  refuseOthers,
  type ComparedFile,
} from "./audit-checkpoints.ts";
import { withMetadata } from "./stores.ts";

const USAGE = `
Usage: mooring audit verify [--org SLUG] [--data-dir DIR]
       mooring audit verify --credentials FILE
       mooring audit verify --against FILE --key KEY [--org SLUG] [--data-dir DIR]
       mooring audit repair [--org SLUG] [--data-dir DIR]

verify checks the audit log, in which each entry contains the hash of the entry before, and reports the first gap or change. On the
server's machine it reads the records: the logs of every organization and of the instance, or of one organization. With --url and your
login, or with a credential that has audit:read, it requests the log of that organization from the server.

--against compares the log with checkpoints that were kept elsewhere: signed notes of the last entry, from audit_checkpoints_url or
GET /v1/audit/verify. The log is right if it has the entries that the notes name. --key is a public key of the notes, which was kept
with the first one, or a file with keys. Both options are repeatable.

repair is for a log that verify finds broken, for example after the database was restored in part. It changes and deletes no entry. It
appends an entry that describes the fault and the affected entries, and the log continues from there. verify then passes, and still
reports the declared faults. First copy the database and find the cause: repair can't find it.

  mooring audit verify --data-dir ./data
  mooring audit verify --org acme --json
  mooring audit repair --org acme

Exit codes: 0 no fault, or repaired, 1 a fault was found, 2 wrong usage, 3 not permitted, 4 can't reach the server.
`;

const OPTIONS: readonly Option[] = [
  { name: "org", value: "SLUG", description: "only the log of this organization" },
  { name: "against", value: "FILE", multiple: true, description: "a signed checkpoint to compare with; repeatable" },
  { name: "key", value: "KEY", multiple: true, description: "a public key of checkpoints, or a file with them" },
  { name: "json", description: "print JSON: a list with one object for each log" },
  ...CONNECTION_OPTIONS.filter(({ name }) => name !== "org"),
  ...LOCAL_OPTIONS,
];

/** The report on one log, in the form of the API. */
interface Report {
  readonly log: string;
  readonly ok: boolean;
  readonly entries: number;
  readonly head_hash: string | null;
  readonly fault: { readonly kind: string; readonly seq: number; readonly detail: string } | null;
  /** Faults that a repair has declared. */
  readonly declared: readonly Found[];
  /** Entries without the personal parts of deleted people. */
  readonly erased: number;
  /** The newest deletion of entries past their retention. */
  readonly cut: {
    readonly from: number;
    readonly to: number;
    readonly deleted: number;
    readonly hash: string;
    readonly key_id: string;
    readonly entry: number;
    readonly at: string;
  } | null;
  /** The comparisons with `--against`. */
  readonly checkpoints: readonly ComparedFile[];
}

interface Found {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  readonly detail: string;
  readonly entry: number;
}

interface Repaired {
  readonly log: string;
  /** Numbers of the appended entries; empty if the log had no fault. */
  readonly entries: readonly number[];
  readonly found: readonly Omit<Found, "entry">[];
}

export const audit = command(USAGE, OPTIONS, async (parsed) => {
  const what = parsed.positionals.join(" ");
  if (what === "repair") return repair(parsed);
  if (what !== "verify") throw new UsageError("name a subcommand: verify or repair");
  const reports = asksServer(parsed) ? [await verifyByApi(parsed)] : await verifyHere(parsed);
  process.stdout.write(
    parsed.values["json"] === true ? `${JSON.stringify(reports)}\n` : reports.map(readable).join(""),
  );
  return reports.every((report) => report.ok) ? ExitCode.ok : ExitCode.failed;
});

/** Only the options decide: a credential in the environment must not replace the check of this machine's records. */
function asksServer(parsed: Parsed): boolean {
  return textOption(parsed, "credentials") !== undefined || textOption(parsed, "url") !== undefined;
}

async function verifyByApi(parsed: Parsed): Promise<Report> {
  if (parsed.values["against"] !== undefined)
    throw new UsageError("--against reads the records on the server's own machine: give --data-dir");
  if (textOption(parsed, "org") !== undefined)
    throw new UsageError("--org is for the server's own machine; a credential has one organization");
  const client = await connect(parsed, systemClock);
  const answer = await client.call(ORGANIZATION_ROUTES.verifyAudit, { purpose: "verify the audit log" });
  return { log: "organization", ...answer, checkpoints: [] };
}

function verifyHere(parsed: Parsed): Promise<Report[]> {
  const kept = keptCheckpoints(parsed);
  return withMetadata(configOf(parsed), async (metadata) => {
    const reports: Report[] = [];
    for (const { log, orgId } of await logsOf(metadata, parsed)) {
      const report = await verified(metadata, log, orgId);
      const checkpoints = await compareFiles(metadata, orgId, kept);
      reports.push({ ...report, ok: report.ok && checkpoints.every(isGood), checkpoints });
    }
    refuseOthers(
      kept,
      reports.flatMap(({ checkpoints }) => checkpoints),
    );
    return reports;
  });
}

async function repair(parsed: Parsed): Promise<number> {
  if (asksServer(parsed)) throw new UsageError("repair works on the server's own machine: give --data-dir");
  const all = await withMetadata(configOf(parsed), async (metadata) => {
    const done: Repaired[] = [];
    for (const { log, orgId } of await logsOf(metadata, parsed)) {
      const { entries, findings } = await repairAudit({ metadata, clock: systemClock }, orgId);
      const found = findings.map(({ fault: kind, from, to, detail }) => ({ kind, from, to, detail }));
      done.push({ log, entries, found });
    }
    return done;
  });
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(all)}\n` : all.map(readableRepair).join(""));
  return ExitCode.ok;
}

/** Lists the instance's log and every organization's, or the log of one organization. */
async function logsOf(metadata: MetadataStore, parsed: Parsed): Promise<{ log: string; orgId: string | null }[]> {
  const org = textOption(parsed, "org");
  const organizations = await listOrganizations(metadata.read);
  const chosen = org === undefined ? organizations : organizations.filter(({ slug }) => slug === org);
  if (org !== undefined && chosen.length === 0)
    throw new CommandError(`cannot read the audit log: there is no organization ${org}`);
  const logs = chosen.map(({ id, slug }): { log: string; orgId: string | null } => ({ log: slug, orgId: id }));
  return org === undefined ? [{ log: "instance", orgId: null }, ...logs] : logs;
}

async function verified(
  metadata: MetadataStore,
  log: string,
  orgId: string | null,
): Promise<Omit<Report, "checkpoints">> {
  const verdict: AuditVerdict = await verifyAudit({ metadata }, orgId);
  const { ok, entries } = verdict;
  if (verdict.ok) {
    const declared = verdict.declared.map(({ fault: kind, from, to, detail, entry }) => ({
      kind,
      from,
      to,
      detail,
      entry,
    }));
    const { erased, headHash: head_hash } = verdict;
    return { log, ok, entries, head_hash, fault: null, declared, erased, cut: cutOf(verdict.cut) };
  }
  return {
    log,
    ok,
    entries,
    head_hash: null,
    fault: { kind: verdict.fault, seq: verdict.seq, detail: verdict.detail },
    declared: [],
    erased: 0,
    cut: null,
  };
}

function cutOf(cut: Cut | null): Report["cut"] {
  if (cut === null) return null;
  const { fromSeq, toSeq, total, hash, kid, entry, atMs } = cut;
  return { from: fromSeq, to: toSeq, deleted: total, hash, key_id: kid, entry, at: isoFromMs(atMs) };
}

function readable({ log, ok, entries, head_hash: head, fault, declared, erased, cut, checkpoints }: Report): string {
  const known = declared.map(
    ({ kind, from, to, detail, entry }) =>
      `      declared by entry ${entry}: ${kind}, entries ${from} to ${to}. ${detail}\n`,
  );
  if (cut !== null)
    known.unshift(
      `      entries 1 to ${cut.to} were deleted after their retention; entry ${cut.entry} of ${cut.at} records it, signed by key ${cut.key_id}\n`,
    );
  known.push(...checkpoints.map(comparedLine));
  if (erased > 0) known.push(`      ${erased} entries without the personal parts of deleted people\n`);
  if (ok) return `ok    ${log}: ${entries} entries, the last with the hash ${head ?? "-"}\n${known.join("")}`;
  if (fault === null) return `FAIL  ${log}: it is not the log that was signed\n${known.join("")}`;
  return `FAIL  ${log}: ${fault.detail} (${fault.kind} at ${fault.seq}, after ${entries} good entries)\n${checkpoints.map(comparedLine).join("")}`;
}

function readableRepair({ log, entries, found }: Repaired): string {
  if (found.length === 0) return `ok        ${log}: nothing to repair\n`;
  const what = found.map(({ kind, from, to, detail }) => `          ${kind}, entries ${from} to ${to}: ${detail}\n`);
  return `repaired  ${log}: declared by entry ${entries.join(", ")}\n${what.join("")}`;
}
