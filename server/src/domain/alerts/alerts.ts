import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { originOf, rotatedSecret, sealSecret } from "#domain/delivery/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { type Envelope, type Principal, type Reach, absent } from "#domain/identity/index.ts";
import { auditOrigin, listPage, type Caller, type Page, type PageQuery } from "#domain/organizations/index.ts";
import { savedQueryById, type SavedQuery } from "#domain/saved-queries/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { newWebhookSecret } from "#kernel/webhook-signature.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";
import { missingParameters } from "./evaluate.ts";
import { usable, settingsFrom, settingsWith, type AlertChange, type AlertInput } from "./input.ts";
import { messageOf } from "./messages.ts";
import { freshProgress, type AlertProgress, type AlertSettings } from "./model.ts";
import { enqueue } from "./outbox.ts";
import {
  alertById,
  countPending,
  countUp,
  deleteAlertRows,
  insertAlert,
  listAlertRows,
  setAlert,
  type Alert,
  type AlertRow,
  type DeliveryRow,
} from "./store.ts";
import { EVALUATE } from "./watch.ts";

export interface AlertsDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly outbound: Outbound;
  readonly envelope: Envelope;
}

/** An alert with this many undelivered messages sends no test. */
const PENDING_TESTS_MAX = 20;

/** A signed-in actor. An alert is evaluated with the permissions of its last author. */
export type Author = Caller & { readonly principal: Principal };

type AlertKey = Pick<Alert, "id" | "org_id">;

/** Returns undefined if it does not exist. `authorize` decides who may see it. */
export async function findAlert(
  deps: Pick<AlertsDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<Alert | undefined> {
  return alertById(deps.metadata.read, orgId, id);
}

/** Lists alerts, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listAlerts(
  deps: Pick<AlertsDeps, "metadata">,
  orgId: string,
  reach: Reach,
  page: PageQuery & { projectId?: string | undefined },
): Promise<Page<Alert>> {
  return listPage(
    page,
    (wanted) => listAlertRows(deps.metadata.read, orgId, reach, { ...wanted, projectId: page.projectId }),
    (row) => row.id,
  );
}

/** @throws Problem `invalid_body` (the destination, the condition, parameters without a value), `not_found`, `conflict` (too many) */
export async function createAlert(
  deps: AlertsDeps,
  author: Author,
  query: SavedQuery,
  given: AlertInput,
): Promise<{ alert: Alert; secret: string }> {
  const input = usable(deps.outbound, given);
  refuseMissingParameters(query);
  const secret = newWebhookSecret();
  const row = newRow(deps, author, query, { input, secret });
  return change(deps, query.org_id, async (tx) => {
    await enforceRecordLimit(deps.metadata, tx, "alerts_max", row.org_id);
    if ((await savedQueryById(tx, row.org_id, row.query_id)) === undefined) throw absent();
    await insertAlert(tx, row);
    if (row.enabled === 1) await evaluateSoon(deps, tx, row);
    const detail = { name: row.name, query: row.query_id, destination: originOf(row.url) };
    await audit(deps, tx, author, { action: "alert.create", row, detail });
    return kept(tx, { alert: await found(tx, row), secret });
  });
}

/** @throws Problem `invalid_body`, `not_found`, `concurrent_update` */
export async function updateAlert(
  deps: AlertsDeps,
  author: Author,
  alert: AlertKey,
  options: { change: AlertChange; ifMatch: string | undefined },
): Promise<Alert> {
  const wanted = usable(deps.outbound, options.change);
  const expected = await expectedOf(options.ifMatch, async () => versionOf(await found(deps.metadata.read, alert)));
  return change(deps, alert.org_id, async (tx) => {
    // Before the alert's row, because a running evaluation locks the job's row first. From here on that run can't
    // write.
    await evaluateSoon(deps, tx, alert);
    const before = await found(tx, alert);
    requireMatch(expected, versionOf(before));
    const set = changedRow(deps, author, before, wanted);
    await setAlert(tx, before.id, set);
    if (set.enabled === 0) await deps.jobs.remove(tx, EVALUATE, before.id);
    const detail = { changed: Object.keys(wanted).toSorted(), destination: originOf(set.url) };
    await audit(deps, tx, author, { action: "alert.update", row: before, detail });
    return found(tx, before);
  });
}

/** @throws Problem `not_found` */
export async function deleteAlert(deps: AlertsDeps, author: Caller, alert: AlertKey): Promise<void> {
  await change(deps, alert.org_id, async (tx) => {
    await deps.jobs.remove(tx, EVALUATE, alert.id);
    const row = await found(tx, alert);
    await deleteAlertRows(tx, row.id);
    await audit(deps, tx, author, { action: "alert.delete", row, detail: { name: row.name } });
  });
}

/**
 * Creates a new secret, which signs at once. The old secret signs, too, until the overlap ends.
 * @throws Problem `not_found`
 */
export async function rotateSecret(
  deps: AlertsDeps,
  author: Caller,
  alert: AlertKey,
  overlapMs: number,
): Promise<{ secret: string; formerUntilMs: number | null }> {
  return change(deps, alert.org_id, async (tx) => {
    const before = await found(tx, alert);
    const { columns, ...rotated } = rotatedSecret(deps, "alert", before, overlapMs);
    await setAlert(tx, before.id, columns);
    const detail = { overlap_s: overlapMs / 1000 };
    await audit(deps, tx, author, { action: "alert.secret.rotate", row: before, detail });
    return kept(tx, rotated);
  });
}

/** Sends a message that says that it is a test. @throws Problem `not_found`, `conflict` while many messages wait */
export async function sendTest(deps: AlertsDeps, author: Caller, alert: AlertKey): Promise<DeliveryRow> {
  const atMs = deps.clock.nowMs();
  return change(deps, alert.org_id, async (tx) => {
    const row = await found(tx, alert);
    if ((await countPending(tx, row.id)) >= PENDING_TESTS_MAX)
      throw new Problem(
        "conflict",
        "Many messages of this alert wait to be delivered, so no test was sent. Look at its deliveries first.",
      );
    const numbers = await countUp(tx, row.id, { evaluations: 0, deliveries: 1 });
    if (numbers === undefined) throw absent();
    const [settings, progress] = [settingsOf(row), progressOf(row)];
    const sequence = numbers.deliveries;
    const body = messageOf(row, "alert.test", { settings, progress, sequence, atMs, window: null });
    const message = { alertId: row.id, orgId: row.org_id, seq: sequence, type: "alert.test", body, atMs } as const;
    const delivery = await enqueue(deps.jobs, tx, message);
    await audit(deps, tx, author, { action: "alert.test", row, detail: { delivery: delivery.id } });
    return delivery;
  });
}

export function settingsOf(alert: Pick<AlertRow, "settings">): AlertSettings {
  return JSON.parse(alert.settings) as AlertSettings;
}

export function progressOf(alert: Pick<AlertRow, "progress">): AlertProgress {
  return JSON.parse(alert.progress) as AlertProgress;
}

/** Returns the version for `If-Match`. It covers the settings, not the evaluations. */
export function versionOf(alert: Pick<AlertRow, "id" | "revision">): object {
  return { id: alert.id, revision: alert.revision };
}

function newRow(
  deps: AlertsDeps,
  author: Author,
  query: SavedQuery,
  { input, secret }: { input: AlertInput; secret: string },
): AlertRow {
  const at = deps.clock.nowMs();
  const id = newId("alert", at);
  return {
    id,
    org_id: query.org_id,
    query_id: query.id,
    name: input.name,
    description: input.description ?? "",
    settings: JSON.stringify(settingsFrom(input)),
    url: input.url,
    enabled: input.enabled === false ? 0 : 1,
    secret: sealSecret(deps.envelope, { table: "alert", id }, secret),
    secret_version: 1,
    previous_secret: null,
    previous_secret_until: null,
    created_by: author.principal.id,
    created_at: at,
    updated_by: author.principal.id,
    updated_at: at,
    revision: 1,
    progress: JSON.stringify(freshProgress(at)),
    evaluations: 0,
    deliveries: 0,
  };
}

type ChangedRow = Pick<
  AlertRow,
  "name" | "description" | "url" | "enabled" | "settings" | "progress" | "updated_by" | "updated_at" | "revision"
>;

function changedRow(deps: AlertsDeps, author: Author, before: Alert, wanted: AlertChange): ChangedRow {
  const at = deps.clock.nowMs();
  const enabled = wanted.enabled === undefined ? before.enabled : wanted.enabled ? 1 : 0;
  // New settings start a new count of evaluations towards firing. A firing incident stays until an evaluation ends it.
  const goesOn = enabled === 1 && before.enabled === 1 && mustReportEnd(progressOf(before));
  return {
    name: wanted.name ?? before.name,
    description: wanted.description ?? before.description,
    url: wanted.url ?? before.url,
    enabled,
    settings: JSON.stringify(settingsWith(settingsOf(before), wanted)),
    progress: goesOn ? before.progress : JSON.stringify(freshProgress(at)),
    updated_by: author.principal.id,
    updated_at: at,
    revision: before.revision + 1,
  };
}

/** Whether a message about an incident or a failure was sent, so that a message about its end must follow. */
function mustReportEnd(progress: AlertProgress): boolean {
  return progress.condition === "firing" || progress.trouble !== null;
}

function evaluateSoon(deps: AlertsDeps, tx: Writer, alert: AlertKey): Promise<void> {
  return deps.jobs.put(tx, { kind: EVALUATE, key: alert.id, group: alert.org_id, dueAtMs: deps.clock.nowMs() });
}

function refuseMissingParameters(query: SavedQuery): void {
  const missing = missingParameters(query);
  if (missing.length === 0) return;
  const detail = `has parameters without a saved value: ${missing.join(", ")}. Save their values, or name them from and to for the window`;
  throw new Problem("invalid_body", "The query can't run on a schedule.", {
    errors: [{ pointer: "/query_id", detail }],
  });
}

function change<T>(deps: Pick<AlertsDeps, "metadata">, orgId: string, work: (tx: Writer) => Promise<T>): Promise<T> {
  return deps.metadata.write(async (tx) => {
    // Deleting a saved query takes the same lock, so no alert can be created for a query that is being deleted.
    await deps.metadata.lock(tx, `saved_query:${orgId}`);
    return work(tx);
  });
}

async function found(db: Reader, alert: AlertKey): Promise<Alert> {
  const row = await alertById(db, alert.org_id, alert.id);
  if (row === undefined) throw absent();
  return row;
}

async function audit(
  deps: AlertsDeps,
  tx: Writer,
  caller: Caller,
  event: { action: string; row: AlertKey; detail: Record<string, unknown> },
): Promise<void> {
  const { action, row, detail } = event;
  const target = { kind: "alert", id: row.id };
  await appendAudit(deps, tx, { ...auditOrigin(caller), orgId: row.org_id, action, target, detail });
}
