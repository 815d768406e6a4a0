import { organizationAllows, stateAllows } from "@mooring/contract";
import type { Envelope } from "#domain/identity/index.ts";
import { limitOfShortage, requireScopes, shortageText, usageOf, type Shortage } from "#domain/quotas/index.ts";
import { readSuspension } from "#domain/suspension/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";
import { EventLog, type Kept } from "./event-log.ts";
import { senderBatchOf } from "./batches.ts";
import { insertRejection } from "./events-store.ts";
import type { EventFeed } from "./feed.ts";
import { handshakeOf, handshakesOf, type HandshakeAnswer } from "./handshakes.ts";
import { Hits } from "./hits.ts";
import { batchOf } from "./cloudevents.ts";
import { needsSecret } from "./input.ts";
import { dedupKeyOf, typeOf, windowMsOf } from "./naming.ts";
import { fieldsOf, keptHeaders, keptQuery, type RedactionOptions } from "./redaction.ts";
import { LazyJson, type HookRequest } from "./request.ts";
import { liveSecrets, openSecrets, possibleTokenColumns, tokenColumns } from "./secrets.ts";
import { SenderRequests } from "./sender-requests.ts";
import { pointersOfScheme, senderOf, type ExpectedAnswer, type SenderHandshake } from "./senders/index.ts";
import { renewTokenHash, webhookByToken, type Addressed } from "./store.ts";
import type { WebhookSecrets, WebhookSettings, WebhooksSettings } from "./types.ts";
import { allowedBy } from "./verification/index.ts";
import { settingsOf } from "./webhooks.ts";

export interface ReceiverOptions {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly feed: EventFeed;
  readonly settings: WebhooksSettings;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
  /** Reads the keys that senders publish, and confirms subscriptions. */
  readonly outbound: Pick<Outbound, "get">;
}

/** A webhook with everything that is needed to receive an event. */
export interface Target {
  readonly webhook: Addressed["webhook"];
  readonly url: Addressed["url"];
  /** The operator suspended the organization, so the webhook accepts nothing. */
  readonly isSuspended: boolean;
  readonly settings: WebhookSettings;
  readonly secrets: WebhookSecrets;
  readonly handshakes: readonly SenderHandshake[];
  readonly allowed: (ip: string) => boolean;
  readonly redaction: RedactionOptions;
}

export type Received =
  | {
      /** For a batch, the first event. */
      readonly kept: Kept;
      readonly response: WebhookSettings["response"];
      /** The answer that the sender expects, if the webhook has no own answer. */
      readonly expected?: ExpectedAnswer | undefined;
      /** The events of a batch, in order. */
      readonly batch?: readonly Kept[];
    }
  | { readonly handshake: HandshakeAnswer };

/** How long a webhook is cached. Other nodes use a changed webhook after this time, the node of the change at once. */
const KNOWN_MS = 500;
const TARGETS_MAX = 10_000;
const USAGE_KNOWN_MS = 1000;
const INLINE_BYTES_MAX = 64 * 1024;
const REJECTIONS_KEPT = 1000;
const REJECTED_BODY_BYTES = 16 * 1024;

/** Receives requests of senders: finds the webhook, checks limits, verifies, removes duplicates, and commits. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #log: EventLog;
  readonly #hits: Hits;
  readonly #senders: SenderRequests;
  /** Cached webhooks by token. Unknown tokens are not cached. */
  readonly #targets = new Map<string, { readonly target: Target; readonly readMs: number }>();
  readonly #bytes = new Map<string, { bytes: number; readonly readMs: number }>();

  constructor(options: ReceiverOptions) {
    this.#options = options;
    const { metadata, objects, feed, log, schedule } = options;
    this.#log = new EventLog({
      metadata,
      objects,
      committed: (webhookIds) => feed.committed(webhookIds),
      kept: (orgId, bytes) => {
        const known = this.#bytes.get(orgId);
        if (known !== undefined) known.bytes += bytes;
      },
    });
    this.#hits = new Hits({ metadata, log, schedule });
    this.#senders = new SenderRequests(options);
  }

  /** Finds the webhook of an address. Unknown and expired addresses both give undefined, by the same steps. */
  async target(token: string): Promise<Target | undefined> {
    const nowMs = this.#options.clock.nowMs();
    const known = this.#targets.get(token);
    const target = known !== undefined && nowMs - known.readMs < KNOWN_MS ? known.target : await this.#read(token);
    if (target === undefined) return undefined;
    const { id, expires_at: until } = target.url;
    this.#hits.note(id, nowMs);
    return until !== null && until <= nowMs ? undefined : target;
  }

  /** Clears the cache after a change. */
  forget(): void {
    this.#targets.clear();
  }

  /** @throws Problem `method_not_allowed`, `webhook_refused`, `quota_exceeded`, `unavailable`, `disk_full` */
  async receive(target: Target, request: HookRequest): Promise<Received> {
    const { webhook, settings } = target;
    const { scheme } = settings.verification;
    const json = new LazyJson(request.body, pointersOfScheme(scheme));
    const handshake = handshakeOf(request, json, { enabled: target.handshakes, secrets: target.secrets });
    if (handshake?.unsigned === true && target.allowed(request.ip)) return { handshake };
    // Handshakes may use other methods. Events need POST, so that opening the address in a browser creates none.
    if (handshake === undefined && request.method !== "POST") throw postOnly();
    await this.#verify(target, request, json);
    if (handshake?.visit !== undefined) await this.#senders.visit(handshake.visit);
    if (handshake !== undefined) return { handshake };
    await this.#refuseOverQuota(webhook, request.body.length);
    const { response } = settings;
    const expected = senderOf(scheme)?.answer;
    const events = batchOf(request) ?? senderBatchOf(request, scheme);
    if (events === undefined)
      return { kept: await this.#keep(target, request, { json, ofBatch: false }), response, expected };
    // Starts all writes in one turn of the event loop, so that they form groups. If some fail, the sender repeats the
    // batch, and the missing events are added.
    const jsonOf = ({ body }: HookRequest): LazyJson => new LazyJson(body, pointersOfScheme(scheme));
    const keeping = events.map((event) => this.#keep(target, event, { json: jsonOf(event), ofBatch: true }));
    const batch = await Promise.all(keeping);
    return { kept: batch[0] as Kept, response, expected, batch };
  }

  async stop(): Promise<void> {
    await this.#log.idle();
    await this.#hits.stop();
  }

  /** Finds the webhook under each key that its hash may have, and renews a hash of a former key. */
  async #find(token: string): Promise<Addressed | undefined> {
    const { metadata, envelope, log } = this.#options;
    const find = async (): Promise<Addressed | undefined> => {
      const hashes = possibleTokenColumns(envelope, token).map((columns) => columns.token_hash);
      return webhookByToken(metadata.read, hashes);
    };
    const found = (await find()) ?? ((await envelope.readNews()) ? await find() : undefined);
    const columns = tokenColumns(envelope, token);
    if (found !== undefined && found.url.token_hash !== columns.token_hash) {
      await metadata
        .write((tx) => renewTokenHash(tx, found.url, columns))
        .catch((error: unknown) => log.warn({ err: error }, "cannot renew the hash of a webhook's address"));
    }
    return found;
  }

  async #read(token: string): Promise<Target | undefined> {
    const { metadata, envelope, clock } = this.#options;
    const found = await this.#find(token);
    // Webhooks of archived projects answer 404, because many senders stop for good after 410.
    if (found === undefined || !stateAllows(found.webhook.project_state, "webhooks:receive")) {
      this.#targets.delete(token);
      return undefined;
    }
    const { state } = await readSuspension(metadata.read, found.webhook.org_id);
    const settings = settingsOf(found.webhook);
    const target: Target = {
      ...found,
      isSuspended: !organizationAllows(state, "webhooks:receive"),
      settings,
      secrets: openSecrets(envelope, found.webhook),
      handshakes: handshakesOf(settings),
      allowed: allowedBy(settings.allowed_ips),
      redaction: { envelope, webhookId: found.webhook.id, ...fieldsOf(settings.verification) },
    };
    if (this.#targets.size >= TARGETS_MAX) this.#targets.clear();
    this.#targets.set(token, { target, readMs: clock.nowMs() });
    return target;
  }

  async #verify(target: Target, request: HookRequest, json: LazyJson): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const { verification } = target.settings;
    const secrets = liveSecrets(target.secrets, nowMs);
    const reason = target.allowed(request.ip)
      ? await this.#senders.verify(request, { orgId: target.webhook.org_id, secrets, nowMs, verification, json })
      : `the address ${request.ip} is not among those that may send`;
    if (reason === null) return;
    await this.#noteRejection(target, request, reason);
    throw new Problem("webhook_refused", "The request could not be verified; the webhook's rejections say why.");
  }

  async #noteRejection({ webhook, redaction }: Target, request: HookRequest, reason: string): Promise<void> {
    const { metadata, clock, log } = this.#options;
    const atMs = clock.nowMs();
    const row = {
      id: newId("evt", atMs),
      org_id: webhook.org_id,
      webhook_id: webhook.id,
      at: atMs,
      reason,
      method: request.method,
      query: keptQuery(request.query, redaction),
      headers: keptHeaders(request.rawHeaders, redaction),
      size: request.body.length,
      body: request.body.subarray(0, REJECTED_BODY_BYTES),
      ip: request.ip,
    };
    try {
      await metadata.write((tx) => insertRejection(tx, row, REJECTIONS_KEPT));
    } catch (error) {
      log.warn({ err: error, webhook_id: webhook.id }, "cannot store a refused webhook request");
    }
  }

  async #refuseOverQuota(
    { id: webhookId, org_id: orgId, project_id: projectId }: Target["webhook"],
    bytes: number,
  ): Promise<void> {
    const refusal = (shortage: Shortage): Problem =>
      new Problem("quota_exceeded", shortageText(shortage), {
        retryAfterS: 60,
        facts: () => limitOfShortage(shortage),
      });
    const place = { orgId, projectId, webhookId };
    await requireScopes(this.#options.metadata, undefined, { place, bytes: Math.max(1, bytes), refusal });
    const { storedBytesMax } = this.#options.settings;
    if (storedBytesMax === null || (await this.#bytesOf(orgId)) < storedBytesMax) return;
    throw new Problem(
      "quota_exceeded",
      "The quota of the organization for its events is used up: keep them for fewer days, or delete webhooks.",
      { retryAfterS: 60 },
    );
  }

  /**
   * Returns the stored bytes of an organization. Events of this node count at once. Events of other nodes and deletions
   * count within a second.
   */
  async #bytesOf(orgId: string): Promise<number> {
    const { metadata, clock } = this.#options;
    const nowMs = clock.nowMs();
    const known = this.#bytes.get(orgId);
    if (known !== undefined && nowMs - known.readMs < USAGE_KNOWN_MS && nowMs >= known.readMs) return known.bytes;
    const { bytes } = await usageOf(metadata.read, "events", { org_id: orgId });
    if (this.#bytes.size >= TARGETS_MAX) this.#bytes.clear();
    this.#bytes.set(orgId, { bytes, readMs: nowMs });
    return bytes;
  }

  async #keep(
    target: Target,
    request: HookRequest,
    { json, ofBatch }: { readonly json: LazyJson; readonly ofBatch: boolean },
  ): Promise<Kept> {
    const { objects, clock } = this.#options;
    const { webhook, settings, redaction } = target;
    const { body } = request;
    const orgId = webhook.org_id;
    const isLarge = body.length > INLINE_BYTES_MAX;
    const blob = isLarge ? await objects.write(orgId, body, { bytesMax: body.length, size: body.length }) : null;
    const atMs = clock.nowMs();
    const { scheme } = settings.verification;
    const row = {
      id: newId("evt", atMs),
      org_id: orgId,
      project_id: webhook.project_id,
      webhook_id: webhook.id,
      received_at: atMs,
      method: request.method,
      query: keptQuery(request.query, redaction),
      headers: keptHeaders(request.rawHeaders, redaction),
      content_type: oneOf(request.headers["content-type"]),
      size: body.length,
      body: isLarge ? null : body,
      ip: request.ip,
      verified: needsSecret(scheme) ? scheme : "none",
      type: typeOf(request, json, scheme),
      dedup_key: dedupKeyOf(request, json, { scheme, deduplication: settings.deduplication, ofBatch }),
      duplicates: 0,
    };
    try {
      const kept = await this.#log.append({ row, windowMs: windowMsOf(settings.deduplication), blob });
      if (kept.duplicate && blob !== null) await objects.discard(blob);
      return kept;
    } catch (error) {
      if (blob !== null) await objects.discard(blob);
      throw error;
    }
  }
}

function postOnly(): Problem {
  return new Problem("method_not_allowed", "Send events with POST.");
}

function oneOf(field: string | string[] | undefined): string | null {
  return (Array.isArray(field) ? field[0] : field) ?? null;
}
