import type { Readable } from "node:stream";
import { requireOrganization } from "#domain/identity/index.ts";
import { actionOf, type RuleMatch } from "#domain/ingest-rules/index.ts";
import { queryActorOf } from "#domain/queries/index.ts";
import { projectIfNamed, visibleProjects } from "#domain/organizations/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { TelemetrySettingsOperation } from "../deps.ts";
import { requireFitting } from "../model-rules.ts";
import { RuleRun } from "../rules/apply.ts";

const ROWS_DEFAULT = 100;
const EXAMPLES_MAX = 20;
/** Rows behind this many bytes are not tried. */
const BYTES_MAX = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;

/** The rows, with the members that rows have when they arrive. */
const STATEMENTS: Readonly<Record<TelemetryType, string>> = {
  logs: "select timestamp, level, severity, message, service, trace_id, span_id, attributes, project_id from logs",
  metrics: "select timestamp, name, value, tags, project_id from metrics",
  traces:
    "select timestamp, trace_id, span_id, parent_span_id, name, kind, service, status, duration_ms, attributes, project_id from traces",
};

/**
 * `POST /v1/ingest-rules/preview`: applies a rule to stored rows that the caller may read.
 * @throws Problem `invalid_body`, `forbidden`, `not_found`, and as a query does
 */
export const previewIngestRule: TelemetrySettingsOperation<"previewIngestRule"> = async (deps, { body }, context) => {
  const { principal, requestId, signal } = context;
  requireOrganization(principal, "org:write");
  requireOrganization(principal, "telemetry:read");
  const { type, match = {}, keep_one_of: keepOneOf = null, masks = null } = body;
  requireFitting({ action: body.action, types: [type], match, keepOneOf, masks });
  const project = await projectIfNamed(deps, principal, body.project ?? undefined, "projects:read");
  const run = await deps.store.query({
    orgId: principal.orgId,
    origin: { actor: queryActorOf(principal), surface: "preview", requestId },
    visible: () => visibleProjects(deps.metadata, principal, "telemetry:read"),
    ...statementFor(type, { match, projectId: project?.id }, body.limit ?? ROWS_DEFAULT),
    format: "ndjson",
    timeoutMs: TIMEOUT_MS,
    memoryBytesMax: MEMORY_BYTES_MAX,
    rowsMax: body.limit ?? ROWS_DEFAULT,
    truncate: true,
    signal,
  });
  const lines = await firstLines(run.body);
  const action = actionOf(body.action, { keepOneOf, masks });
  const rule = { id: TRIED, types: [type], projectId: project?.id ?? null, sender: null, match, action };
  return tried(lines, new RuleRun(type, [rule]), type);
};

/** Reads the newest rows that may match, so that a rule for few rows finds some. */
function statementFor(
  type: TelemetryType,
  { match, projectId }: { readonly match: RuleMatch; readonly projectId: string | undefined },
  limit: number,
): { sql: string; parameters: string[] } {
  const wanted = [
    ["project_id", projectId],
    ["service", type === "metrics" ? undefined : match.service],
    ["name", match.name],
  ].flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]));
  const where = wanted.map(({ column }) => `${column} = ?`).join(" and ") || "true";
  return {
    sql: `${STATEMENTS[type]} where ${where} order by timestamp desc limit ${limit}`,
    parameters: wanted.map(({ value }) => value),
  };
}

/** Returns the complete lines of the first bytes. */
async function firstLines(body: Readable): Promise<string[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString("utf8").split("\n").slice(0, -1);
}

const TRIED = "tried";

type Preview = Awaited<ReturnType<typeof previewIngestRule>>;

function tried(lines: readonly string[], run: RuleRun, type: TelemetryType): Preview {
  const examples: Preview["examples"] = [];
  for (const line of lines) {
    const after = run.apply(`${line}\n`);
    if (after === `${line}\n` || examples.length >= EXAMPLES_MAX) continue;
    examples.push({ before: rowOf(line), after: after === undefined ? null : rowOf(after) });
  }
  const { matched = 0, removed = 0, masked = 0 } = run.counts()[TRIED] ?? {};
  return { type, rows: lines.length, rows_matched: matched, rows_removed: removed, rows_masked: masked, examples };
}

function rowOf(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>;
}
