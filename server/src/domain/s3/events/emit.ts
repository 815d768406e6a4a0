import { sendSoon } from "#domain/delivery/index.ts";
import { newId } from "#kernel/ids.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { wildcard } from "../access/wildcard.ts";
import type { S3Deps } from "../deps.ts";
import type { Bucket, NotificationRule, S3Caller } from "../types/index.ts";
import { destinationByName, insertDeliveries } from "./store.ts";

export type EventName =
  | "ObjectCreated:Put"
  | "ObjectCreated:Post"
  | "ObjectCreated:Copy"
  | "ObjectCreated:CompleteMultipartUpload"
  | "ObjectRemoved:Delete"
  | "ObjectRemoved:DeleteMarkerCreated"
  | "ObjectTagging:Put"
  | "ObjectTagging:Delete"
  | "ObjectAcl:Put"
  | "LifecycleExpiration:Delete"
  | "LifecycleExpiration:DeleteMarkerCreated";

export interface ObjectEvent {
  readonly name: EventName;
  readonly key: string;
  readonly versionId: string | null;
  readonly size?: number;
  readonly etag?: string;
  /** A later event of the same key has a greater number. */
  readonly seq?: number;
  /** Null: a lifecycle rule made the change. */
  readonly caller: S3Caller | null;
}

type Deps = Pick<S3Deps, "metadata" | "clock" | "jobs" | "settings">;

const ARN = /^arn:mooring:webhook:::([A-Za-z0-9][A-Za-z0-9_.-]{0,99})$/;

/** Returns the name of the destination in an ARN; undefined for ARNs of other services. */
export function destinationIn(arn: string): string | undefined {
  return ARN.exec(arn)?.[1];
}

/** Queues a message for each destination that a rule of the bucket names, in the transaction of the change. */
export async function emit(deps: Deps, tx: Writer, bucket: Bucket, event: ObjectEvent): Promise<void> {
  await emitAll(deps, tx, bucket, [event]);
}

/** Like `emit`, for many events in their order. */
export async function emitAll(deps: Deps, tx: Writer, bucket: Bucket, events: readonly ObjectEvent[]): Promise<void> {
  const rules = bucket.config.notification ?? [];
  if (rules.length === 0) return;
  const namedBy = new Map<EventName, readonly NotificationRule[]>();
  const rulesOf = (name: EventName): readonly NotificationRule[] => {
    const known = namedBy.get(name) ?? rules.filter((rule) => isNamed(rule, name));
    namedBy.set(name, known);
    return known;
  };
  const messages = events.flatMap((event) =>
    rulesOf(event.name)
      .filter((rule) => isPlaced(rule, event))
      .map((rule) => ({ arn: rule.destinationArn, body: bodyOf(deps, bucket, rule, event) })),
  );
  await enqueue(deps, tx, bucket.orgId, messages);
}

function isNamed({ events }: NotificationRule, name: EventName): boolean {
  return events.some((pattern) => wildcard(pattern)(`s3:${name}`));
}

function isPlaced({ prefix = "", suffix = "" }: NotificationRule, { key }: ObjectEvent): boolean {
  return key.startsWith(prefix) && key.endsWith(suffix);
}

/** Queues messages for destinations of an organization. Deleted destinations are skipped. */
export async function enqueue(
  deps: Deps,
  tx: Writer,
  orgId: string,
  messages: readonly { readonly arn: string; readonly body: string }[],
): Promise<void> {
  if (messages.length === 0) return;
  const nowMs = deps.clock.nowMs();
  const destinations = new Map<string, string | undefined>();
  for (const { arn } of messages) {
    if (!destinations.has(arn)) destinations.set(arn, await destinationOf(tx, orgId, arn));
  }
  const rows = messages.flatMap(({ arn, body }) => {
    const destination_id = destinations.get(arn);
    return destination_id === undefined ? [] : [{ id: newId("msg", nowMs), destination_id, body }];
  });
  if (rows.length === 0) return;
  insertDeliveries(deps.metadata.dialect, tx, { org_id: orgId, created_at: nowMs }, rows);
  await sendSoon(deps.jobs, tx, "s3", { orgId, ids: rows.map(({ id }) => id), atMs: nowMs });
}

async function destinationOf(tx: Writer, orgId: string, arn: string): Promise<string | undefined> {
  const name = destinationIn(arn);
  return name === undefined ? undefined : (await destinationByName(tx, orgId, name))?.id;
}

/** Builds the body in the form of S3's events, which receivers know. */
function bodyOf({ clock, settings }: Deps, bucket: Bucket, rule: NotificationRule, event: ObjectEvent): string {
  const { caller, versionId, size, etag, seq = 0 } = event;
  const principalId = caller?.principal.kind === "key" ? caller.principal.accessKeyId : "anonymous";
  const record = {
    eventVersion: "2.3",
    eventSource: "mooring:s3",
    awsRegion: settings.region,
    eventTime: isoFromMs(clock.nowMs()),
    eventName: event.name,
    userIdentity: { principalId: caller === null ? "lifecycle" : principalId },
    requestParameters: { sourceIPAddress: caller?.ip ?? "" },
    responseElements: { "x-amz-request-id": caller?.requestId ?? "" },
    s3: {
      s3SchemaVersion: "1.0",
      configurationId: rule.id,
      bucket: {
        name: bucket.name,
        ownerIdentity: { principalId: bucket.owner.id },
        arn: `arn:aws:s3:::${bucket.name}`,
      },
      object: {
        key: encodeURIComponent(event.key).replaceAll("%20", "+").replaceAll("%2F", "/"),
        ...(size === undefined ? {} : { size }),
        ...(etag === undefined ? {} : { eTag: etag }),
        ...(versionId === null || versionId === "null" ? {} : { versionId }),
        sequencer: Math.abs(seq).toString(16).toUpperCase().padStart(16, "0"),
      },
    },
  };
  return JSON.stringify({ Records: [record] });
}
