import { newId } from "#kernel/ids.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { wildcard } from "../access/wildcard.ts";
import type { S3Deps } from "../deps.ts";
import type { Bucket, NotificationRule, S3Caller } from "../types/index.ts";
import { DELIVER } from "./deliver.ts";
import { destinationByName, insertDelivery } from "./store.ts";

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
  /** Greater for what came later to the same key. */
  readonly seq?: number;
  /** Null: a rule. */
  readonly caller: S3Caller | null;
}

type Deps = Pick<S3Deps, "metadata" | "clock" | "jobs" | "settings">;

const ARN = /^arn:mooring:webhook:::([A-Za-z0-9][A-Za-z0-9_.-]{0,99})$/;

/** The name of the destination; undefined for ARNs of other services. */
export function destinationIn(arn: string): string | undefined {
  return ARN.exec(arn)?.[1];
}

/** Puts a message among those to send to each destination that a rule of the bucket names, in the transaction of what it tells of. */
export async function emit(deps: Deps, tx: Writer, bucket: Bucket, event: ObjectEvent): Promise<void> {
  for (const rule of bucket.config.notification ?? []) {
    if (!matches(rule, event)) continue;
    await enqueue(deps, tx, { orgId: bucket.orgId, arn: rule.destinationArn, body: bodyOf(deps, bucket, rule, event) });
  }
}

function matches({ events, prefix = "", suffix = "" }: NotificationRule, { name, key }: ObjectEvent): boolean {
  const isNamed = events.some((pattern) => wildcard(pattern)(`s3:${name}`));
  return isNamed && key.startsWith(prefix) && key.endsWith(suffix);
}

export async function enqueue(
  deps: Deps,
  tx: Writer,
  message: { readonly orgId: string; readonly arn: string; readonly body: string },
): Promise<void> {
  const name = destinationIn(message.arn);
  const destination = name === undefined ? undefined : await destinationByName(tx, message.orgId, name);
  if (destination === undefined) return; // was deleted
  const nowMs = deps.clock.nowMs();
  const id = newId("msg", nowMs);
  const state = { state: "pending", attempts: 0, last_status: null, last_error: null } as const;
  const { orgId: org_id, body } = message;
  insertDelivery(tx, { id, org_id, destination_id: destination.id, body, created_at: nowMs, ...state });
  await deps.jobs.put(tx, { kind: DELIVER, key: id, group: message.orgId, dueAtMs: nowMs });
}

/** The form that receivers of S3's events know. */
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
