import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { verifyAudit, type AuditVerdict } from "#domain/audit/index.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import {
  CommandError,
  CONFIG_OPTION,
  configOf,
  ExitCode,
  parseCommand,
  settingOptions,
  textOption,
  UsageError,
  type Command,
  type Option,
  type Parsed,
} from "./command.ts";
import { listOrganizations } from "./store.ts";
import { connect, CONNECTION_OPTIONS } from "./connection.ts";
import { withMetadata } from "./stores.ts";

const USAGE = `
Usage: mooring audit verify [--org SLUG] [--data-dir DIR]
       mooring audit verify --credentials FILE

Walks the audit log, in which each entry holds the hash of the one before, and reports the first gap or change. On the server's machine
it reads the records itself: every organization's log and the instance's own, or one organization's. With a credential that
holds audit:read it asks the server for its organization's.

  mooring audit verify --data-dir ./data
  mooring audit verify --org acme --json

Exit codes: 0 whole, 1 a fault was found, 2 wrong usage, 3 not permitted, 4 can't reach the server.
`;

const OPTIONS: readonly Option[] = [
  { name: "org", type: "string", value: "SLUG", description: "this organization's log only" },
  { name: "json", type: "boolean", description: "print JSON: one object a log, in a list" },
  ...CONNECTION_OPTIONS,
  CONFIG_OPTION,
];

/** What is said of one log, in the form that the API has. */
interface Report {
  readonly log: string;
  readonly ok: boolean;
  readonly entries: number;
  readonly head_hash: string | null;
  readonly fault: { readonly kind: string; readonly seq: number; readonly detail: string } | null;
}

export const audit: Command = {
  run: async (args) => {
    const parsed = parseCommand(USAGE, [...OPTIONS, ...settingOptions()], args);
    if (parsed === null) return ExitCode.ok;
    if (parsed.positionals.join(" ") !== "verify") throw new UsageError("say what to do: verify");
    const reports = asksServer(parsed) ? [await verifyByApi(parsed)] : await verifyHere(parsed);
    process.stdout.write(
      parsed.values["json"] === true ? `${JSON.stringify(reports)}\n` : reports.map(readable).join(""),
    );
    return reports.every((report) => report.ok) ? ExitCode.ok : ExitCode.failed;
  },
};

/** By the options alone: a credential in the environment must not turn a look at this machine's records into another. */
function asksServer(parsed: Parsed): boolean {
  return textOption(parsed, "credentials") !== undefined || textOption(parsed, "url") !== undefined;
}

async function verifyByApi(parsed: Parsed): Promise<Report> {
  if (textOption(parsed, "org") !== undefined)
    throw new UsageError("--org is for the server's own machine; a credential has one organization");
  const client = await connect(parsed, systemClock);
  const answer = await client.call(ORGANIZATION_ROUTES.verifyAudit, { purpose: "verify the audit log" });
  return { log: "organization", ...answer };
}

async function verifyHere(parsed: Parsed): Promise<Report[]> {
  const org = textOption(parsed, "org");
  return withMetadata(configOf(parsed), async (metadata) => {
    const organizations = await listOrganizations(metadata.read);
    const chosen = org === undefined ? organizations : organizations.filter(({ slug }) => slug === org);
    if (org !== undefined && chosen.length === 0)
      throw new CommandError(`cannot verify the audit log: there is no organization ${org}`);
    const reports = org === undefined ? [await verified(metadata, "instance", null)] : [];
    for (const { id, slug } of chosen) reports.push(await verified(metadata, slug, id));
    return reports;
  });
}

async function verified(metadata: MetadataStore, log: string, orgId: string | null): Promise<Report> {
  const verdict: AuditVerdict = await verifyAudit({ metadata, clock: systemClock }, orgId);
  const { ok, entries } = verdict;
  if (verdict.ok) return { log, ok, entries, head_hash: verdict.headHash, fault: null };
  return {
    log,
    ok,
    entries,
    head_hash: null,
    fault: { kind: verdict.fault, seq: verdict.seq, detail: verdict.detail },
  };
}

function readable({ log, ok, entries, head_hash: head, fault }: Report): string {
  if (ok) return `ok    ${log}: ${entries} entries, the last with the hash ${head ?? "-"}\n`;
  return `FAIL  ${log}: ${fault?.detail ?? "it is not whole"} (${fault?.kind ?? "unknown"} at ${fault?.seq ?? 0}, after ${entries} good entries)\n`;
}
