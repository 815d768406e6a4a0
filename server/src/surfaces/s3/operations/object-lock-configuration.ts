import { S3Error, type DefaultRetention } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";
import { childOf, numberIn, parseDocument, requiredText, textIn, type Element } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getObjectLockConfiguration({ bucket }: Context): Promise<Answer> {
  const lock = bucket.config.objectLock;
  if (lock === undefined) throw new S3Error("ObjectLockConfigurationNotFoundError");
  const retention = lock.defaultRetention;
  const body = renderDocument("ObjectLockConfiguration", {
    ObjectLockEnabled: "Enabled",
    Rule: retention === undefined ? undefined : { DefaultRetention: elementsOf(retention) },
  });
  return { body };
}

function elementsOf(retention: DefaultRetention): Record<string, string | number> {
  return { Mode: retention.mode, ...("days" in retention ? { Days: retention.days } : { Years: retention.years }) };
}

export async function putObjectLockConfiguration(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "ObjectLockConfiguration");
  if (textIn(root, "ObjectLockEnabled") !== "Enabled")
    throw new S3Error("MalformedXML", "ObjectLockEnabled must be Enabled.");
  const rule = childOf(root, "Rule");
  const retention = rule === undefined ? undefined : childOf(rule, "DefaultRetention");
  if (rule !== undefined && retention === undefined) throw new S3Error("MalformedXML");
  const value = retention === undefined ? {} : { defaultRetention: retentionOf(retention) };
  await deps.domain.buckets.configure(caller, bucket, { kind: "objectLock", value });
  return {};
}

function retentionOf(element: Element): DefaultRetention {
  const mode = requiredText(element, "Mode");
  const [days, years] = [numberWith(element, "Days"), numberWith(element, "Years")];
  if (mode !== "GOVERNANCE" && mode !== "COMPLIANCE") throw new S3Error("MalformedXML");
  if ((days === undefined) === (years === undefined)) throw new S3Error("MalformedXML", "There must be Days or Years.");
  const length = days ?? years ?? 0;
  const max = days === undefined ? 100 : 36_500;
  if (length < 1 || length > max) throw new S3Error("InvalidRetentionPeriod", `The period must be from 1 to ${max}.`);
  return days === undefined ? { mode, years: length } : { mode, days: length };
}

/** One below zero is a wrong period, not wrong XML. */
function numberWith(element: Element, name: string): number | undefined {
  if (/^-[0-9]+$/.test(textIn(element, name)?.trim() ?? "")) throw new S3Error("InvalidRetentionPeriod");
  return numberIn(element, name);
}
