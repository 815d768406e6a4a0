import type { INGEST_RULE_ACTIONS } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { kept } from "#domain/idempotency/index.ts";
import { absent, appendAuthChange, placeOfCredential, type Identity, type Principal } from "#domain/identity/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import {
  auditOrigin,
  listPage,
  projectFor,
  type Caller,
  type Page,
  type PageQuery,
} from "#domain/organizations/index.ts";
import { projectByName } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { MaskName, RuleMatch } from "./model.ts";
import { deleteRule, insertRule, ruleById, ruleRows, setRule, type IngestRuleRow } from "./store.ts";

export interface IngestRulesDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly feed: Pick<Identity["feed"], "sync" | "propagate">;
}

/** A request of an authenticated actor. */
export type RuleAuthor = Caller & { readonly createdBy: string };

export interface RuleSettings {
  readonly name: string;
  readonly enabled: boolean;
  readonly order: number;
  readonly types: readonly TelemetryType[];
  readonly match: RuleMatch;
  readonly keepOneOf: number | null;
  readonly masks: readonly MaskName[] | null;
}

export interface NewIngestRule extends RuleSettings {
  readonly action: (typeof INGEST_RULE_ACTIONS)[number];
  readonly projectId: string | null;
  readonly sender: string | null;
}

/** The version of a rule: everything except its counts. */
export function ruleVersion(row: IngestRuleRow): object {
  const { rows_matched: _a, rows_removed: _b, rows_masked: _c, counted_at: _d, ...version } = row;
  return version;
}

/** @throws Problem `invalid_parameter` for a foreign cursor */
export async function listIngestRules(
  deps: Pick<IngestRulesDeps, "metadata">,
  orgId: string,
  page: PageQuery,
): Promise<Page<IngestRuleRow>> {
  return listPage(
    page,
    (wanted) => ruleRows(deps.metadata.read, orgId, wanted),
    ({ id }) => id,
  );
}

/** @throws Problem `not_found` */
export async function getIngestRule(
  deps: Pick<IngestRulesDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<IngestRuleRow> {
  return found(deps.metadata.read, orgId, id);
}

/** Requires a credential or an ingest key that the caller sees. @throws Problem `not_found` */
export async function requireSender(
  deps: Pick<IngestRulesDeps, "metadata">,
  principal: Principal,
  id: string,
): Promise<void> {
  const place = await placeOfCredential(deps.metadata.read, principal.orgId, id);
  if (place === undefined) throw absent();
  if (place.projectId !== null) await projectFor(deps, principal, place.projectId, "projects:read");
}

/** @throws Problem `not_found`, `limit_reached` */
export async function createIngestRule(
  deps: IngestRulesDeps,
  author: RuleAuthor,
  orgId: string,
  input: NewIngestRule,
): Promise<IngestRuleRow> {
  const at = deps.clock.nowMs();
  const { action, projectId, sender, ...settings } = input;
  const row: IngestRuleRow = {
    id: newId("rule", at),
    org_id: orgId,
    project_id: projectId,
    sender,
    action,
    ...columnsOf(settings),
    rows_matched: 0,
    rows_removed: 0,
    rows_masked: 0,
    counted_at: null,
    created_by: author.createdBy,
    created_at: at,
    updated_by: author.createdBy,
    updated_at: at,
    revision: 1,
  };
  return change(deps, orgId, async (tx) => {
    await enforceRecordLimit(deps.metadata, tx, "ingest_rules_max", orgId);
    if (projectId !== null && (await projectByName(tx, orgId, projectId)) === undefined) throw absent();
    await insertRule(tx, row);
    return { row: await kept(tx, row), audited: { action: "ingest_rule.create", detail: settingsOf(row) }, author };
  });
}

/** @throws Problem `not_found`, `concurrent_update` */
export async function updateIngestRule(
  deps: IngestRulesDeps,
  author: RuleAuthor,
  { org_id: orgId, id }: Pick<IngestRuleRow, "org_id" | "id">,
  options: { readonly change: (before: IngestRuleRow) => RuleSettings; readonly ifMatch: string | undefined },
): Promise<IngestRuleRow> {
  const expected = await expectedOf(options.ifMatch, async () =>
    ruleVersion(await found(deps.metadata.read, orgId, id)),
  );
  return change(deps, orgId, async (tx) => {
    const before = await found(tx, orgId, id);
    requireMatch(expected, ruleVersion(before));
    const row: IngestRuleRow = {
      ...before,
      ...columnsOf(options.change(before)),
      updated_by: author.createdBy,
      updated_at: deps.clock.nowMs(),
      revision: before.revision + 1,
    };
    await setRule(tx, row);
    const detail = { before: settingsOf(before), after: settingsOf(row) };
    return { row, audited: { action: "ingest_rule.update", detail }, author };
  });
}

/** @throws Problem `not_found` */
export async function deleteIngestRule(
  deps: IngestRulesDeps,
  author: RuleAuthor,
  { org_id: orgId, id }: Pick<IngestRuleRow, "org_id" | "id">,
): Promise<void> {
  await change(deps, orgId, async (tx) => {
    const row = await found(tx, orgId, id);
    await deleteRule(tx, orgId, id);
    return { row, audited: { action: "ingest_rule.delete", detail: settingsOf(row) }, author };
  });
}

interface Done {
  readonly row: IngestRuleRow;
  readonly audited: { readonly action: string; readonly detail: Record<string, unknown> };
  readonly author: RuleAuthor;
}

/** Runs a change, and waits until the running nodes have read it. */
async function change(
  deps: IngestRulesDeps,
  orgId: string,
  work: (tx: Writer) => Promise<Done>,
): Promise<IngestRuleRow> {
  const { metadata, feed } = deps;
  const { row, seq } = await metadata.write(async (tx) => {
    await metadata.lock(tx, `ingest_rule:${orgId}`);
    const done = await work(tx);
    const announced = await appendAuthChange(deps, tx, { kind: "organization", subject: orgId });
    const { action, detail } = done.audited;
    const target = { kind: "ingest_rule", id: done.row.id };
    await appendAudit(deps, tx, { ...auditOrigin(done.author), orgId, action, target, detail });
    return { row: done.row, seq: announced };
  });
  await feed.sync();
  await feed.propagate(seq);
  return row;
}

async function found(db: Reader, orgId: string, id: string): Promise<IngestRuleRow> {
  const row = await ruleById(db, orgId, id);
  if (row === undefined) throw absent();
  return row;
}

function columnsOf({ name, enabled, order, types, match, keepOneOf, masks }: RuleSettings) {
  return {
    name,
    enabled: enabled ? 1 : 0,
    position: order,
    types: JSON.stringify(types),
    match: JSON.stringify(match),
    keep_one_of: keepOneOf,
    masks: masks === null ? null : JSON.stringify(masks),
  };
}

/** Leaves out the values of match, which may be personal data. */
function settingsOf(row: IngestRuleRow): Record<string, unknown> {
  const { name, action, enabled, types, project_id: project, sender, keep_one_of, masks } = row;
  return {
    name,
    action,
    enabled: enabled === 1,
    types: JSON.parse(types) as string[],
    project,
    sender,
    keep_one_of,
    masks,
  };
}
