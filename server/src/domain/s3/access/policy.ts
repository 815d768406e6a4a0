import { faultOf } from "#kernel/strict-json.ts";
import { S3Error } from "../errors.ts";
import { matchesCondition, parseConditions, type Condition, type ConditionValues } from "./conditions.ts";
import { refuseUnknown } from "./refuse-unknown.ts";
import { textList, wildcard, type Pattern } from "./wildcard.ts";

/** A bucket policy in the S3 policy language (version 2012-10-17), ready to be evaluated. */
export interface Policy {
  readonly statements: readonly Statement[];
}

interface Statement {
  /** Its `Sid`, or its number from 1. */
  readonly name: string;
  readonly isDeny: boolean;
  readonly principals: Principals;
  readonly actions: Matcher;
  readonly resources: Matcher;
  readonly conditions: readonly Condition[];
}

interface Matcher {
  readonly isNot: boolean;
  readonly patterns: readonly Pattern[];
}

interface Principals {
  readonly isNot: boolean;
  readonly everybody: boolean;
  readonly names: ReadonlySet<string>;
}

export interface PolicyRequest {
  /** All names of the principal. Empty for an anonymous one. */
  readonly names: readonly string[];
  readonly action: string;
  /** `arn:aws:s3:::bucket` or `arn:aws:s3:::bucket/key` */
  readonly resource: string;
  readonly values: ConditionValues;
  /**
   * The values that are in the body, which has not been read yet: the key of an object, and its new tags. A statement
   * that might allow the action counts as allowing it. A statement that might deny it counts as not denying it.
   */
  readonly unread?: ReadonlySet<"key" | "tags">;
}

export type Verdict = "deny" | "allow" | "none";

export function evaluate(policy: Policy, request: PolicyRequest): Verdict {
  let verdict: Verdict = "none";
  for (const statement of policy.statements) {
    if (!applies(statement, request)) continue;
    if (statement.isDeny) return "deny";
    verdict = "allow";
  }
  return verdict;
}

/** Returns the name of the statement that denies a request. */
export function denyingStatement(policy: Policy, request: PolicyRequest): string | null {
  return policy.statements.find((statement) => statement.isDeny && applies(statement, request))?.name ?? null;
}

function applies(statement: Statement, request: PolicyRequest): boolean {
  const { isDeny, principals, actions, resources, conditions } = statement;
  const { unread, values } = request;
  const isNamed = principals.everybody || request.names.some((name) => principals.names.has(name));
  return (
    isNamed !== principals.isNot &&
    matches(actions, request.action.toLowerCase()) &&
    (unread?.has("key") === true ? !isDeny : matches(resources, request.resource)) &&
    conditions.every((condition) =>
      unread?.has("tags") === true && condition.key.startsWith("s3:requestobjecttag/")
        ? !isDeny
        : matchesCondition(condition, values),
    )
  );
}

function matches({ isNot, patterns }: Matcher, text: string): boolean {
  return patterns.some((pattern) => pattern(text)) !== isNot;
}

/** Whether the policy opens the bucket to everybody without a condition on the principal. */
export function isPublicPolicy(policy: Policy): boolean {
  return policy.statements.some(
    ({ isDeny, principals, conditions }) =>
      !isDeny && principals.everybody && !conditions.some(({ narrowsWho }) => narrowsWho),
  );
}

const BYTES_MAX = 20 * 1024;
const STATEMENTS_MAX = 200;
/**
 * The most names and patterns of all statements together, because each request is compared with them. S3 has fewer
 * actions than this.
 */
const ACTIONS_MAX = 500;
const RESOURCES_MAX = 500;
const DEPTH_MAX = 16;
/** The characters of a `Sid` in explanations. */
const SID_CHARS_MAX = 100;
const MEMBERS: ReadonlySet<string> = new Set([
  "Sid",
  "Effect",
  "Principal",
  "NotPrincipal",
  "Action",
  "NotAction",
  "Resource",
  "NotResource",
  "Condition",
]);

/**
 * Validates a policy that an owner wants to set. In addition to the rules of `parsePolicy`, every name must be able to
 * match something. A misspelled Deny would deny nothing, and nobody would notice.
 * @throws S3Error `MalformedPolicy` that names the fault
 */
export function validatePolicy(text: string, bucket: string): Policy {
  const policy = parsePolicy(text, bucket);
  if (faultOf(text, DEPTH_MAX) !== undefined)
    throw malformed("an object has the same member twice, or it is nested too deep");
  requireFew(policy, "actions", ACTIONS_MAX);
  requireFew(policy, "resources", RESOURCES_MAX);
  refuseUnknown(text, bucket, malformed);
  return policy;
}

/**
 * Checks the number of names. Stored policies are not checked, because a policy that can't be parsed denies everything.
 */
function requireFew({ statements }: Policy, name: "actions" | "resources", most: number): void {
  const count = statements.reduce((sum, statement) => sum + statement[name].patterns.length, 0);
  if (count > most) throw malformed(`its statements name more than ${most} ${name} together`);
}

/** Parses a policy. @throws S3Error `MalformedPolicy` that names the fault; every resource must be in this bucket */
export function parsePolicy(text: string, bucket: string): Policy {
  if (Buffer.byteLength(text) > BYTES_MAX) throw malformed(`it is larger than ${BYTES_MAX} bytes`);
  const document = objectIn(parseJson(text), "the policy is not an object");
  const version = document["Version"];
  if (version !== undefined && version !== "2012-10-17" && version !== "2008-10-17")
    throw malformed("its Version is unknown");
  const { Statement: listed } = document;
  const statements = Array.isArray(listed) ? (listed as unknown[]) : [listed];
  if (listed === undefined || statements.length === 0) throw malformed("it has no Statement");
  if (statements.length > STATEMENTS_MAX) throw malformed(`it has more than ${STATEMENTS_MAX} statements`);
  return {
    statements: statements.map((statement, at) =>
      parseStatement(objectIn(statement, "a Statement is not an object"), bucket, at + 1),
    ),
  };
}

function parseStatement(statement: Record<string, unknown>, bucket: string, number: number): Statement {
  const foreign = Object.keys(statement).find((name) => !MEMBERS.has(name));
  if (foreign !== undefined) throw malformed(`a Statement has an unknown member ${foreign}`);
  const { Effect: effect } = statement;
  if (effect !== "Allow" && effect !== "Deny") throw malformed("Effect must be Allow or Deny");
  const actions = matcherOf(statement, "Action", (text) => {
    if (text !== "*" && !/^s3:[A-Za-z*?]+$/i.test(text)) throw malformed(`the action ${text} does not exist`);
    return wildcard(text.toLowerCase());
  });
  const resources = matcherOf(statement, "Resource", (text) => {
    requireOwnResource(text, bucket);
    // Requests always name the partition `aws`, so a resource in another partition means the same bucket.
    return wildcard(text.replace(/^arn:[a-z-]+:/, "arn:aws:"));
  });
  const principals = principalsOf(statement);
  if (principals.isNot && effect === "Allow") throw malformed("NotPrincipal is allowed only with Deny");
  const conditions = parseConditions(statement["Condition"], malformed);
  const { Sid: sid } = statement;
  const name = typeof sid === "string" && sid !== "" ? sid.slice(0, SID_CHARS_MAX) : String(number);
  return { name, isDeny: effect === "Deny", principals, actions, resources, conditions };
}

function matcherOf(
  statement: Record<string, unknown>,
  name: "Action" | "Resource",
  patternOf: (text: string) => Pattern,
): Matcher {
  const [plain, negated] = [statement[name], statement[`Not${name}`]];
  if ((plain === undefined) === (negated === undefined))
    throw malformed(`a Statement needs either ${name} or Not${name}`);
  const texts = textList(plain ?? negated);
  if (texts === undefined || texts.length === 0) throw malformed(`${name} is not a text or a list of texts`);
  return { isNot: plain === undefined, patterns: texts.map(patternOf) };
}

const ARN = /^arn:(?:aws|mooring)[a-z-]*:s3:::([^/]+)(?:\/.*)?$/s;

function requireOwnResource(text: string, bucket: string): void {
  const [, name] = ARN.exec(text) ?? [];
  if (name !== undefined && wildcard(name)(bucket)) return;
  throw malformed("Policy has invalid resource");
}

function principalsOf(statement: Record<string, unknown>): Principals {
  const [plain, negated] = [statement["Principal"], statement["NotPrincipal"]];
  if ((plain === undefined) === (negated === undefined))
    throw malformed("a Statement needs either Principal or NotPrincipal");
  const given = plain ?? negated;
  const texts = given === "*" ? ["*"] : textList(objectIn(given, "Principal is not valid")["AWS"]);
  if (texts === undefined || texts.length === 0) throw malformed("Principal must be * or {AWS: …}");
  return { isNot: plain === undefined, everybody: texts.includes("*"), names: new Set(texts.map(principalName)) };
}

/**
 * Returns the name of a principal. `arn:aws:iam::ID:root`, `arn:aws:iam:::user/ID` and `ID` all name the canonical user
 * or the key `ID`.
 */
function principalName(text: string): string {
  const [, account = "", user] = /^arn:[a-z-]+:iam::([^:]*):(?:root|user\/(.+))$/.exec(text) ?? [];
  return user ?? (account === "" ? text : account);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("it is not JSON");
  }
}

function objectIn(value: unknown, otherwise: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw malformed(otherwise);
}

function malformed(detail: string): S3Error {
  return new S3Error("MalformedPolicy", `The policy can't be used: ${detail}.`);
}
