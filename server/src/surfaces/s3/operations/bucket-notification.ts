import { S3Error, type NotificationRule } from "#domain/s3/index.ts";
import { randomUUID } from "node:crypto";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument, type Value } from "../wire/xml.ts";
import { childOf, childrenOf, parseDocument, requiredText, textIn, type Element } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 256 * 1024;
const RULES_MAX = 100;

/** The element names of S3's kinds of destinations. */
const KINDS = {
  topic: ["TopicConfiguration", "Topic"],
  queue: ["QueueConfiguration", "Queue"],
  function: ["CloudFunctionConfiguration", "CloudFunction"],
} as const satisfies Record<NotificationRule["kind"], readonly [string, string]>;

export async function getBucketNotification({ bucket }: Context): Promise<Answer> {
  const rules = bucket.config.notification ?? [];
  const of = (kind: NotificationRule["kind"]): Value => rules.filter((rule) => rule.kind === kind).map(ruleElements);
  const body = renderDocument("NotificationConfiguration", {
    TopicConfiguration: of("topic"),
    QueueConfiguration: of("queue"),
    CloudFunctionConfiguration: of("function"),
  });
  return { body };
}

/** Replaces all rules. An empty configuration deletes them. */
export async function putBucketNotification(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "NotificationConfiguration");
  if (childOf(root, "EventBridgeConfiguration") !== undefined)
    throw new S3Error("NotImplemented", "EventBridgeConfiguration is not implemented.");
  const value = Object.entries(KINDS).flatMap(([kind, [name, destination]]) =>
    childrenOf(root, name).map((element) => ruleOf(element, kind as NotificationRule["kind"], destination)),
  );
  if (value.length > RULES_MAX)
    throw new S3Error("InvalidArgument", `There may be ${RULES_MAX} notifications at most.`);
  await deps.domain.buckets.configure(caller, bucket, {
    kind: "notification",
    value: value.length === 0 ? null : value,
  });
  return {};
}

function ruleOf(element: Element, kind: NotificationRule["kind"], destination: string): NotificationRule {
  const events = childrenOf(element, "Event").map((event) => event.text.trim());
  if (events.length === 0) throw new S3Error("MalformedXML", "Event is missing.");
  return {
    id: textIn(element, "Id") || randomUUID(),
    kind,
    destinationArn: requiredText(element, destination).trim(),
    events,
    ...filterOf(element),
  };
}

function filterOf(element: Element): Pick<NotificationRule, "prefix" | "suffix"> {
  const filter = childOf(element, "Filter");
  const key = filter === undefined ? undefined : childOf(filter, "S3Key");
  const found: { prefix?: string; suffix?: string } = {};
  for (const rule of key === undefined ? [] : childrenOf(key, "FilterRule")) {
    const name = requiredText(rule, "Name").toLowerCase();
    if ((name !== "prefix" && name !== "suffix") || found[name] !== undefined)
      throw new S3Error("InvalidArgument", "filter rule name must be either prefix or suffix, each once");
    found[name] = requiredText(rule, "Value");
  }
  return found;
}

function ruleElements({ id, kind, destinationArn, events, prefix, suffix }: NotificationRule): Value {
  const rules = Object.entries({ prefix, suffix }).flatMap(([Name, Value]) =>
    Value === undefined ? [] : [{ Name, Value }],
  );
  return {
    Id: id,
    [KINDS[kind][1]]: destinationArn,
    Event: events,
    Filter: rules.length === 0 ? undefined : { S3Key: { FilterRule: rules } },
  };
}
