import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { type Reach, absent } from "#domain/identity/index.ts";
import {
  auditOrigin,
  listPage,
  type Caller,
  type Page,
  type PageQuery,
  type Project,
} from "#domain/organizations/index.ts";
import { projectByName, requireNoDeletionLock } from "#domain/projects/index.ts";
import { moveToTrash, type TrashDeps } from "#domain/trash/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { newSecret } from "#kernel/secrets.ts";
import { newWebhookSecret } from "#kernel/webhook-signature.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { checkSettings, needsSecret, type WebhookInput } from "./input.ts";
import { NO_SECRETS, openSecrets, openToken, sealSecrets, sealToken, tokenColumns } from "./secrets.ts";
import {
  forgetOldUrls,
  insertUrl,
  insertWebhook,
  retireFormerUrls,
  retireUrl,
  setWebhook,
  urlsOf,
  webhookById,
  webhookRows,
} from "./store.ts";
import {
  DEFAULT_SETTINGS,
  type UrlRow,
  type Webhook,
  type WebhookRow,
  type WebhooksDeps,
  type WebhookSecrets,
  type WebhookSettings,
} from "./types.ts";

type Key = Pick<Webhook, "id" | "org_id">;

/** Former addresses that are kept to show hits on them. */
const FORMER_URLS_KEPT = 5;

/** Finds a webhook; undefined when it does not exist. `authorize` checks who may see it. */
export async function findWebhook(
  deps: Pick<WebhooksDeps, "metadata">,
  orgId: string,
  id: string,
): Promise<Webhook | undefined> {
  return webhookById(deps.metadata.read, orgId, id);
}

/** Lists webhooks, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listWebhooks(
  deps: Pick<WebhooksDeps, "metadata">,
  orgId: string,
  reach: Reach,
  page: PageQuery & { projectId?: string | undefined },
): Promise<Page<Webhook>> {
  const { read } = deps.metadata;
  return listPage(
    page,
    (wanted) => webhookRows(read, orgId, reach, { ...wanted, projectId: page.projectId }),
    (row) => row.id,
  );
}

export async function urlsOfWebhooks(
  deps: Pick<WebhooksDeps, "metadata">,
  webhooks: readonly Pick<Webhook, "id">[],
): Promise<Map<string, UrlRow[]>> {
  const rows = await urlsOf(
    deps.metadata.read,
    webhooks.map(({ id }) => id),
  );
  return Map.groupBy(rows, (row) => row.webhook_id);
}

export interface MadeWebhook {
  readonly webhook: Webhook;
  readonly token: string;
  readonly secret: string | null;
}

/**
 * Creates a webhook. `secret`: the created secret, which is shown only now.
 * @throws Problem `invalid_body`, `not_found`, `conflict`
 */
export async function createWebhook(
  deps: WebhooksDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  input: WebhookInput,
): Promise<MadeWebhook> {
  const settings = settingsWith(DEFAULT_SETTINGS, input);
  const generated = settings.verification.scheme === "standard_webhooks" && input.secret === undefined;
  const secret = generated ? newWebhookSecret() : (input.secret ?? null);
  const secrets = { ...NO_SECRETS, secret, verify_token: input.verify_token ?? null };
  checkSettings(settings, secrets);
  const row = newRow(deps, caller, project, { name: input.name, settings, secrets });
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `webhook:${project.org_id}`);
    await enforceRecordLimit(deps.metadata, tx, "webhooks_max", row.org_id);
    if ((await projectByName(tx, row.org_id, row.project_id)) === undefined) throw absent();
    await insertWebhook(tx, {
      ...row,
      paused: input.enabled === false ? 1 : 0,
      retention_days: input.retention_days ?? null,
    });
    const token = await addUrl(deps, tx, row);
    const detail = { name: row.name, project: row.project_id, verification: settings.verification.scheme };
    await audit(deps, tx, caller, { action: "webhook.create", webhook: row, detail });
    return kept(tx, { webhook: await found(tx, row), token, secret: generated ? secret : null });
  });
}

/** @throws Problem `invalid_body`, `not_found`, `concurrent_update` */
export async function updateWebhook(
  deps: WebhooksDeps,
  caller: Caller,
  webhook: Key,
  options: { change: Partial<WebhookInput>; ifMatch: string | undefined },
): Promise<Webhook> {
  const { change } = options;
  const expected = await expectedOf(options.ifMatch, async () => versionOf(await found(deps.metadata.read, webhook)));
  return changeWebhook(deps, webhook, async (tx, before) => {
    requireMatch(expected, versionOf(before));
    const settings = settingsWith(settingsOf(before), change);
    const known = openSecrets(deps.envelope, before);
    const secrets = {
      ...known,
      ...(change.secret === undefined ? {} : { secret: change.secret, previous: null, previous_until: null }),
      ...(change.verify_token === undefined ? {} : { verify_token: change.verify_token }),
    };
    checkSettings(settings, secrets);
    await setWebhook(tx, before.id, {
      name: change.name ?? before.name,
      paused: change.enabled === undefined ? before.paused : change.enabled ? 0 : 1,
      retention_days: change.retention_days === undefined ? before.retention_days : change.retention_days,
      settings: JSON.stringify(settings),
      ...sealed(deps, before, secrets),
      updated_at: deps.clock.nowMs(),
      revision: before.revision + 1,
    });
    await audit(deps, tx, caller, {
      action: "webhook.update",
      webhook: before,
      detail: { changed: Object.keys(change).toSorted() },
    });
    return found(tx, before);
  });
}

/**
 * Puts a webhook into the trash, with its events. Its addresses stop at once.
 * @throws Problem `not_found`, `conflict` (the project's deletion lock)
 */
export async function deleteWebhook(deps: WebhooksDeps & TrashDeps, caller: Caller, webhook: Key): Promise<void> {
  await changeWebhook(deps, webhook, async (tx, row) => {
    await requireNoDeletionLock(tx, row);
    const nowMs = deps.clock.nowMs();
    await setWebhook(tx, row.id, { deleted_at: nowMs, updated_at: nowMs, revision: row.revision + 1 });
    const { org_id: orgId, project_id: projectId, id: objectId, name } = row;
    await moveToTrash(deps, tx, caller, { kind: "webhook", orgId, projectId, objectId, name });
    await audit(deps, tx, caller, { action: "webhook.delete", webhook: row, detail: { name: row.name } });
  });
}

/** Creates a new address. The current one is valid until the grace period ends. @throws Problem `not_found` */
export async function rotateUrl(
  deps: WebhooksDeps,
  caller: Caller,
  webhook: Key,
  graceMs: number,
): Promise<{ token: string; formerUntilMs: number }> {
  return changeWebhook(deps, webhook, async (tx, row) => {
    const formerUntilMs = deps.clock.nowMs() + graceMs;
    // The address that was exposed may be an older one, so a grace period of zero expires all old addresses.
    if (graceMs === 0) await retireFormerUrls(tx, row.id, formerUntilMs);
    await retireUrl(tx, row.id, formerUntilMs);
    await forgetOldUrls(tx, row.id, FORMER_URLS_KEPT);
    const token = await addUrl(deps, tx, row);
    await setWebhook(tx, row.id, { updated_at: deps.clock.nowMs(), revision: row.revision + 1 });
    await audit(deps, tx, caller, { action: "webhook.url.rotate", webhook: row, detail: { grace_s: graceMs / 1000 } });
    return kept(tx, { token, formerUntilMs });
  });
}

/** Shows the address again, and writes this to the audit log. @throws Problem `not_found` */
export async function revealUrl(deps: WebhooksDeps, caller: Caller, webhook: Key): Promise<string> {
  return changeWebhook(deps, webhook, async (tx, row) => {
    const url = (await urlsOf(tx, [row.id])).find(({ expires_at: until }) => until === null);
    if (url === undefined || url.token === null) throw absent();
    await audit(deps, tx, caller, { action: "webhook.url.reveal", webhook: row, detail: { hint: url.hint } });
    return openToken(deps.envelope, url.id, url.token);
  });
}

/**
 * Rotates the secret. The new one is valid at once, the old one until the overlap ends.
 * @throws Problem `not_found`, `invalid_body`
 */
export async function rotateSecret(
  deps: WebhooksDeps,
  caller: Caller,
  webhook: Key,
  options: { secret: string | undefined; overlapMs: number },
): Promise<{ secret: string; formerUntilMs: number | null }> {
  return changeWebhook(deps, webhook, async (tx, row) => {
    if (!needsSecret(settingsOf(row).verification.scheme)) throw verifiesNothing();
    const known = openSecrets(deps.envelope, row);
    const secret = options.secret ?? newWebhookSecret();
    const until = options.overlapMs === 0 || known.secret === null ? null : deps.clock.nowMs() + options.overlapMs;
    const secrets = { ...known, secret, previous: until === null ? null : known.secret, previous_until: until };
    checkSettings(settingsOf(row), secrets);
    await setWebhook(tx, row.id, { ...sealed(deps, row, secrets), revision: row.revision + 1 });
    const detail = { overlap_s: options.overlapMs / 1000 };
    await audit(deps, tx, caller, { action: "webhook.secret.rotate", webhook: row, detail });
    return kept(tx, { secret, formerUntilMs: until });
  });
}

function verifiesNothing(): Problem {
  const detail =
    "The webhook has no verification scheme, so a secret would have no effect. Send PATCH with `verification` and `secret`.";
  return new Problem("invalid_body", detail, {
    errors: [{ pointer: "", detail: "is allowed only with a verification scheme" }],
  });
}

export function settingsOf(webhook: Pick<WebhookRow, "settings">): WebhookSettings {
  return JSON.parse(webhook.settings) as WebhookSettings;
}

/** Returns the version for `If-Match`. */
export function versionOf({ id, revision }: Pick<WebhookRow, "id" | "revision">): object {
  return { id, revision };
}

function settingsWith(before: WebhookSettings, change: Partial<WebhookInput>): WebhookSettings {
  const {
    verification = before.verification,
    allowed_ips = before.allowed_ips,
    handshakes = before.handshakes,
    deduplication = before.deduplication,
    response = before.response,
  } = change;
  return { verification, allowed_ips, handshakes, deduplication, response };
}

function newRow(
  deps: WebhooksDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  { name, settings, secrets }: { name: string; settings: WebhookSettings; secrets: WebhookSecrets },
): WebhookRow {
  const at = deps.clock.nowMs();
  const id = newId("hook", at);
  return {
    id,
    org_id: project.org_id,
    project_id: project.id,
    name,
    paused: 0,
    settings: JSON.stringify(settings),
    secrets: sealSecrets(deps.envelope, id, 1, secrets),
    secrets_version: 1,
    retention_days: null,
    created_by: caller.principal.kind === "system" ? "system" : caller.principal.id,
    created_at: at,
    updated_at: at,
    revision: 1,
    deleted_at: null,
  };
}

function sealed(
  deps: WebhooksDeps,
  row: Pick<WebhookRow, "id" | "secrets_version">,
  secrets: WebhookSecrets,
): Pick<WebhookRow, "secrets" | "secrets_version"> {
  const version = row.secrets_version + 1;
  return { secrets: sealSecrets(deps.envelope, row.id, version, secrets), secrets_version: version };
}

async function addUrl(deps: WebhooksDeps, tx: Writer, webhook: Key): Promise<string> {
  const at = deps.clock.nowMs();
  const token = newSecret("mrwh");
  const id = newId("url", at);
  await insertUrl(tx, {
    id,
    webhook_id: webhook.id,
    org_id: webhook.org_id,
    ...tokenColumns(deps.envelope, token),
    token: sealToken(deps.envelope, id, token),
    hint: token.slice(-4),
    created_at: at,
    expires_at: null,
    hits: 0,
    last_hit_at: null,
  });
  return token;
}

function changeWebhook<T>(
  deps: Pick<WebhooksDeps, "metadata">,
  webhook: Key,
  work: (tx: Writer, row: Webhook) => Promise<T>,
): Promise<T> {
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `webhook:${webhook.org_id}`);
    return work(tx, await found(tx, webhook));
  });
}

async function found(db: Reader, webhook: Key): Promise<Webhook> {
  const row = await webhookById(db, webhook.org_id, webhook.id);
  if (row === undefined) throw absent();
  return row;
}

async function audit(
  deps: WebhooksDeps,
  tx: Writer,
  caller: Caller,
  event: { action: string; webhook: Key; detail: Record<string, unknown> },
): Promise<void> {
  const { action, webhook, detail } = event;
  const target = { kind: "webhook", id: webhook.id };
  await appendAudit(deps, tx, { ...auditOrigin(caller), orgId: webhook.org_id, action, target, detail });
}
