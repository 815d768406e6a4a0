import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { type Principal, type Reach, absent } from "#domain/identity/index.ts";
import { auditOrigin, listPage, type Caller, type Page, type PageQuery } from "#domain/organizations/index.ts";
import { columnsOf, projectByName, type ProjectAccess } from "#domain/projects/index.ts";
import { queryActorOf } from "#domain/queries/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { etagOf, expectedOf, requireMatch } from "#kernel/versions.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { describeStatement, refuseUnknownParameters, type Parameters } from "./describe.ts";
import {
  countAlertsOn,
  deleteSavedQueryRow,
  idByName,
  insertSavedQuery,
  listSavedQueryRows,
  savedQueryById,
  setSavedQuery,
  type SavedQuery,
  type SavedQueryRow,
} from "./store.ts";

export interface SavedQueriesDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly telemetry: Pick<TelemetryStore, "query">;
}

/** A request of an authenticated actor. Saved queries record who changed them. */
export type Author = Caller & { readonly principal: Principal; readonly signal: AbortSignal };

export interface NewSavedQuery {
  readonly name: string;
  readonly description?: string;
  readonly sql: string;
  readonly parameters?: Parameters;
}

/** Finds a saved query; undefined when it does not exist. `authorize` checks who may see it. */
export async function findSavedQuery(
  deps: Pick<SavedQueriesDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<SavedQuery | undefined> {
  return savedQueryById(deps.metadata.read, orgId, id);
}

/** Lists saved queries, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listSavedQueries(
  deps: Pick<SavedQueriesDeps, "metadata">,
  orgId: string,
  reach: Reach,
  page: PageQuery & { projectId?: string | undefined },
): Promise<Page<SavedQuery>> {
  return listPage(
    page,
    (wanted) => listSavedQueryRows(deps.metadata.read, orgId, reach, { ...wanted, projectId: page.projectId }),
    (row) => row.id,
  );
}

/** Returns the saved values of the parameters. */
export function parametersOf(query: Pick<SavedQueryRow, "parameters">): Parameters {
  return JSON.parse(query.parameters) as Parameters;
}

/** @throws Problem `invalid_sql`, `sql_not_allowed`, `invalid_body` (parameters), `conflict` (the name, too many) */
export async function createSavedQuery(
  deps: SavedQueriesDeps,
  author: Author,
  project: ProjectAccess | null,
  input: NewSavedQuery,
): Promise<SavedQuery> {
  const { orgId, id: by } = author.principal;
  const names = await checked(deps, author, input.sql, input.parameters ?? {});
  const at = deps.clock.nowMs();
  const row: SavedQueryRow = {
    id: newId("query", at),
    org_id: orgId,
    project_id: project?.id ?? null,
    place: project?.id ?? "",
    name: input.name,
    description: input.description ?? "",
    sql: input.sql,
    parameters: JSON.stringify(input.parameters ?? {}),
    parameter_names: JSON.stringify(names),
    created_by: by,
    created_at: at,
    updated_by: by,
    updated_at: at,
    revision: 1,
  };
  return change(deps, orgId, async (tx) => {
    await enforceRecordLimit(deps.metadata, tx, "saved_queries_max", orgId);
    if (row.project_id !== null && (await projectByName(tx, orgId, row.project_id)) === undefined) throw absent();
    await refuseTakenName(tx, row);
    await insertSavedQuery(tx, row);
    await audit(deps, tx, author, "saved_query.create", row, settingsOf(row));
    return kept(tx, { ...row, ...columnsOf(project) });
  });
}

/** @throws Problem as `createSavedQuery` does, and `not_found`, `concurrent_update` */
export async function updateSavedQuery(
  deps: SavedQueriesDeps,
  author: Author,
  query: SavedQuery,
  options: { change: Partial<NewSavedQuery>; ifMatch: string | undefined },
): Promise<SavedQuery> {
  const { orgId, id: by } = author.principal;
  const { parameters, ...texts } = options.change;
  const expected = await expectedOf(options.ifMatch, async () => query);
  requireMatch(expected, query);
  const names = await checked(deps, author, texts.sql ?? query.sql, parameters ?? parametersOf(query));
  return change(deps, orgId, async (tx) => {
    const before = await found(tx, query);
    // The statement was checked outside the transaction, with the row as it was then.
    requireMatch([etagOf(query)], before);
    const after: SavedQuery = {
      ...before,
      ...texts,
      ...(parameters === undefined ? {} : { parameters: JSON.stringify(parameters) }),
      parameter_names: JSON.stringify(names),
      updated_by: by,
      updated_at: deps.clock.nowMs(),
      revision: before.revision + 1,
    };
    await refuseTakenName(tx, after);
    await setSavedQuery(tx, after);
    await audit(deps, tx, author, "saved_query.update", after, {
      before: settingsOf(before),
      after: settingsOf(after),
    });
    return after;
  });
}

/** @throws Problem `not_found`, `conflict` while an alert uses it */
export async function deleteSavedQuery(
  deps: Pick<SavedQueriesDeps, "metadata" | "clock">,
  author: Caller,
  query: SavedQuery,
): Promise<void> {
  await change(deps, query.org_id, async (tx) => {
    const row = await found(tx, query);
    const alerts = await countAlertsOn(tx, row.org_id, row.id);
    if (alerts > 0) throw new Problem("conflict", `${alerts} alerts use this query; delete them first.`);
    await deleteSavedQueryRow(tx, row.org_id, row.id);
    await audit(deps, tx, author, "saved_query.delete", row, { name: row.name });
  });
}

async function checked(
  deps: SavedQueriesDeps,
  author: Author,
  sql: string,
  parameters: Parameters,
): Promise<readonly string[]> {
  const { principal, requestId, signal } = author;
  const origin = { actor: queryActorOf(principal), surface: "check", requestId } as const;
  const names = await describeStatement(deps.telemetry, { orgId: principal.orgId, origin, sql, signal });
  refuseUnknownParameters(parameters, names);
  return names;
}

/**
 * Runs changes of an organization's saved queries one after another, so that what `work` read is still true when it
 * commits.
 */
function change<T>(
  deps: Pick<SavedQueriesDeps, "metadata">,
  orgId: string,
  work: (tx: Writer) => Promise<T>,
): Promise<T> {
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `saved_query:${orgId}`);
    return work(tx);
  });
}

async function found(db: Reader, query: Pick<SavedQueryRow, "org_id" | "id">): Promise<SavedQuery> {
  const row = await savedQueryById(db, query.org_id, query.id);
  if (row === undefined) throw absent();
  return row;
}

async function refuseTakenName(db: Reader, row: SavedQueryRow): Promise<void> {
  const holder = await idByName(db, row.org_id, row.project_id, row.name);
  if (holder === undefined || holder === row.id) return;
  throw new Problem("conflict", "Another saved query has this name there; choose another.", {
    errors: [{ pointer: "/name", detail: "is taken" }],
  });
}

/** Leaves out the statement's text, which may contain personal data. Its digest shows whether it changed. */
function settingsOf(row: SavedQueryRow): Record<string, unknown> {
  return { name: row.name, project: row.project_id, sql_sha256: sha256Hex(row.sql) };
}

async function audit(
  deps: Pick<SavedQueriesDeps, "metadata" | "clock">,
  tx: Writer,
  caller: Caller,
  action: string,
  row: SavedQueryRow,
  detail: Record<string, unknown>,
): Promise<void> {
  const target = { kind: "saved_query", id: row.id };
  await appendAudit(deps, tx, { ...auditOrigin(caller), orgId: row.org_id, action, target, detail });
}
