import { S3Error } from "#domain/s3/index.ts";
import { decodeUtf8 } from "#kernel/decoding.ts";
import { msFromIso } from "#kernel/time.ts";
import { SIGNATURE_FIELDS, type FormFields } from "./form.ts";

export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

type Condition =
  | { readonly kind: "eq" | "starts-with"; readonly name: string; readonly value: string }
  | { readonly kind: "content-length-range"; readonly min: number; readonly max: number };

/** Fields that a policy need not name: they do not change the stored object. */
const FREE = /^x-(ignore-|amz-checksum-|amz-sdk-checksum-)/;

/**
 * Checks a form against the policy that was signed for it: the policy must name every field, and every condition must
 * hold.
 * @param fields with the `bucket` of the address, and the final key
 * @throws S3Error `InvalidPolicyDocument`, `AccessDenied`
 */
export function requirePolicy(policy: string, fields: FormFields, nowMs: number): SizeRange | undefined {
  const { expiresMs, conditions } = parsePolicy(policy);
  if (nowMs >= expiresMs) throw new S3Error("AccessDenied", "Invalid according to Policy: Policy expired.");
  let range: SizeRange | undefined;
  const named = new Set<string>();
  for (const condition of conditions) {
    if (condition.kind === "content-length-range") {
      range = { min: Math.max(range?.min ?? 0, condition.min), max: Math.min(range?.max ?? Infinity, condition.max) };
      continue;
    }
    named.add(condition.name);
    // A value with an empty required prefix may also be missing.
    const value = fields.get(condition.name) ?? (condition.kind === "eq" || condition.value !== "" ? undefined : "");
    const holds =
      value !== undefined &&
      (condition.kind === "eq" ? value === condition.value : startsWith(condition.name, value, condition.value));
    if (!holds) {
      const shown = JSON.stringify([condition.kind, `$${condition.name}`, condition.value]);
      throw new S3Error("AccessDenied", `Invalid according to Policy: Policy Condition failed: ${shown}`);
    }
  }
  for (const name of fields.keys())
    if (!named.has(name) && !SIGNATURE_FIELDS.has(name) && !FREE.test(name))
      throw new S3Error("AccessDenied", `Invalid according to Policy: Extra input fields: ${name}`);
  return range;
}

/** A content type may be a list. Then each of its items must begin with the prefix. */
function startsWith(name: string, value: string, prefix: string): boolean {
  const values = name === "content-type" ? value.split(",").map((part) => part.trim()) : [value];
  return values.every((part) => part.startsWith(prefix));
}

function parsePolicy(policy: string): { expiresMs: number; conditions: Condition[] } {
  const invalid = (detail: string): S3Error => new S3Error("InvalidPolicyDocument", `Invalid Policy: ${detail}`);
  let document: unknown;
  try {
    document = JSON.parse(decodeUtf8(Buffer.from(policy, "base64")) ?? "");
  } catch {
    throw invalid("Invalid JSON.");
  }
  if (typeof document !== "object" || document === null) throw invalid("it must be an object.");
  const { expiration, conditions } = document as { expiration?: unknown; conditions?: unknown };
  const expiresMs = typeof expiration === "string" ? msFromIso(expiration) : Number.NaN;
  if (Number.isNaN(expiresMs)) throw invalid("expiration must be in ISO 8601, in UTC.");
  if (!Array.isArray(conditions)) throw invalid("conditions are missing.");
  return { expiresMs, conditions: conditions.flatMap((condition) => conditionsOf(condition, invalid)) };
}

function conditionsOf(condition: unknown, invalid: (detail: string) => S3Error): Condition[] {
  if (Array.isArray(condition)) return [conditionOfList(condition, invalid)];
  if (typeof condition !== "object" || condition === null) throw invalid("a condition must be a list or an object.");
  const entries = Object.entries(condition);
  if (entries.length !== 1) throw invalid("One and only one property is allowed in a condition.");
  return entries.map(([name, value]) => {
    if (typeof value !== "string") throw invalid("the value of a condition must be a text.");
    return { kind: "eq", name: name.toLowerCase(), value };
  });
}

function conditionOfList(list: readonly unknown[], invalid: (detail: string) => S3Error): Condition {
  const [kind, first, second] = list;
  const operator = typeof kind === "string" ? kind.toLowerCase() : "";
  if (list.length !== 3) throw invalid(`a condition must have 3 members, and this one has ${list.length}.`);
  if (operator === "content-length-range") {
    const [min, max] = [Number(first), Number(second)];
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min < 0 || max < min)
      throw invalid("content-length-range takes two whole numbers.");
    return { kind: "content-length-range", min, max };
  }
  const isKnown = operator === "eq" || operator === "starts-with";
  if (!isKnown || typeof first !== "string" || typeof second !== "string" || !first.startsWith("$"))
    throw invalid('a condition must be like ["eq", "$name", "value"].');
  return { kind: operator, name: first.slice(1).toLowerCase(), value: second };
}
