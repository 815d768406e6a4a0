import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { S3Error } from "../errors.ts";
import { ACTIONS } from "./actions.ts";
import { evaluate, validatePolicy } from "./policy.ts";
import { POLICY_ACTIONS } from "./vocabulary.ts";

const BUCKET = "arn:aws:s3:::shop";
const DENY = { Effect: "Deny", Principal: "*", Action: "s3:GetObject", Resource: `${BUCKET}/*` } as const;
const ALLOW = { ...DENY, Effect: "Allow" } as const;

function policy(statement: object, more: object = {}): string {
  return JSON.stringify({ Version: "2012-10-17", Statement: [statement], ...more });
}

function refuses(text: string, name: string): void {
  assert.throws(
    () => validatePolicy(text, "shop"),
    (error: unknown) => error instanceof S3Error && error.code === "MalformedPolicy" && error.message.includes(name),
    `${text} for ${name}`,
  );
}

const when = (condition: object, more: object = {}): object => ({ ...DENY, ...more, Condition: condition });

test("a statement that can never apply is refused, and the error names the reason", () => {
  const bad: readonly [string, object, object?][] = [
    ["s3:Frobnicate", { ...DENY, Action: "s3:Frobnicate" }],
    ["s3:Frob*", { ...DENY, Action: ["s3:GetObject", "s3:Frob*"] }],
    ["s3:GetObjct", { ...DENY, Action: undefined, NotAction: "s3:GetObjct" }],
    ["s3:HeadBucket", { ...DENY, Action: "s3:HeadBucket", Resource: BUCKET }],
    ["s3:ListAllMyBuckets", { ...DENY, Action: "s3:ListAllMyBuckets", Resource: BUCKET }],
    ["s3:GetObject", { ...DENY, Resource: BUCKET }],
    ["s3:ListBucket", { ...DENY, Action: "s3:ListBucket" }],
    ["s3:ListBucket", { ...DENY, Action: ["s3:GetObject", "s3:ListBucket"] }],
    ["aws:Frob", when({ StringEquals: { "aws:Frob": "x" } })],
    ["aws:SourceVpce", when({ StringEquals: { "aws:SourceVpce": "vpce-1" } })],
    ["aws:PrincipalArn", when({ StringEquals: { "aws:PrincipalArn": "arn:aws:iam::1:root" } })],
    ["s3:object-lock-mode", when({ StringEquals: { "s3:object-lock-mode": "COMPLIANCE" } })],
    ["s3:ExistingObjectTag/", when({ StringEquals: { "s3:ExistingObjectTag/": "x" } })],
    ["s3:prefix", when({ StringEquals: { "s3:prefix": "a/" } })],
    ["s3:x-amz-acl", when({ StringEquals: { "s3:x-amz-acl": "public-read" } })],
    ["aws:SourceIp", when({ StringEquals: { "aws:SourceIp": "10.0.0.0/8" } })],
    ["aws:UserAgent", when({ IpAddress: { "aws:UserAgent": "10.0.0.0/8" } })],
    ["aws:CurrentTime", when({ StringLike: { "aws:CurrentTime": "2026*" } })],
    ["NullIfExists", when({ NullIfExists: { "aws:Referer": "true" } })],
    ["Null", when({ Null: { "aws:Referer": "yes" } })],
    ["${aws:username}", { ...DENY, Resource: `${BUCKET}/\${aws:username}/*` }],
    ["Service", { ...DENY, Principal: { AWS: "*", Service: "logging.s3.amazonaws.com" } }],
    ["CanonicalUser", { ...DENY, Principal: { AWS: "proj_1", CanonicalUser: "proj_2" } }],
    ["arn:aws:iam::*:root", { ...DENY, Principal: { AWS: "arn:aws:iam::*:root" } }],
    ["Statment", DENY, { Statment: [] }],
    ["s3:PutBucketPolicy", { ...ALLOW, Action: ["s3:PutBucketPolicy"], Resource: BUCKET }],
    ["s3:PutObjectRetention", { ...ALLOW, Action: "s3:PutObjectRetention" }],
  ];
  for (const [name, statement, more] of bad) refuses(policy(statement, more), name);
  refuses(
    '{"Statement":[{"Effect":"Allow","Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"arn:aws:s3:::shop/*"}]}',
    "twice",
  );
});

test("elements of S3's own policies are accepted", () => {
  const good: readonly object[] = [
    ...[...POLICY_ACTIONS].map(([Action, level]) => ({
      ...DENY,
      Action,
      Resource: level === "object" ? `${BUCKET}/*` : BUCKET,
    })),
    { ...DENY, Action: "*", Resource: "arn:aws:s3:::shop*" },
    { ...DENY, Action: ["s3:Get*", "s3:List*"], Resource: [BUCKET, `${BUCKET}/*`] },
    { ...ALLOW, Action: "s3:*", Resource: [BUCKET, `${BUCKET}/*`] },
    {
      Effect: "Allow",
      Principal: { AWS: "arn:aws:iam::proj_1:root" },
      NotAction: "s3:PutObject",
      NotResource: `${BUCKET}/a/*`,
    },
    when({ Bool: { "aws:SecureTransport": "false" } }),
    when({ StringEquals: { "aws:SecureTransport": "false" } }),
    when({ "ForAnyValue:StringLikeIfExists": { "aws:Referer": ["https://a.test/*"] } }),
    when({ NotIpAddress: { "aws:SourceIp": ["10.0.0.0/8"] }, Null: { "aws:UserAgent": "false" } }),
    when({ NumericGreaterThan: { "s3:max-keys": "10" } }, { Action: "s3:ListBucket", Resource: BUCKET }),
    when({ StringNotEquals: { "s3:x-amz-server-side-encryption": "AES256" } }, { Action: "s3:PutObject" }),
    when({ StringEquals: { "s3:RequestObjectTag/a": "b" } }, { Action: "s3:*" }),
    when({ DateGreaterThan: { "aws:CurrentTime": "2026-01-01T00:00:00Z" }, NumericLessThan: { "aws:EpochTime": 5 } }),
  ];
  for (const statement of good) assert.ok(validatePolicy(policy(statement), "shop").statements.length === 1);
});

test("a policy can deny every action of the gateway", () => {
  for (const [name, { policyAction }] of Object.entries(ACTIONS))
    if (name !== "s3:ListAllMyBuckets") assert.ok(POLICY_ACTIONS.has(policyAction ?? name), name);
});

test("the partition of an ARN does not matter", () => {
  for (const partition of ["aws", "aws-cn", "mooring"]) {
    const statement = { ...DENY, Resource: `arn:${partition}:s3:::shop/*` };
    const request = { names: [], action: "s3:GetObject", resource: "arn:aws:s3:::shop/k", values: () => undefined };
    assert.equal(evaluate(validatePolicy(policy(statement), "shop"), request), "deny", partition);
  }
});

test("the documentation lists the actions that are for the owner, and those that need a signature", () => {
  const page = readFileSync(new URL("../../../../../docs/reference/s3.md", import.meta.url), "utf8");
  const listed = (start: string): string[] => {
    const [, list = ""] = new RegExp(`- ${start}: ([^.]*)\\.`).exec(page) ?? [];
    return [...list.matchAll(/`(\w+)`/g)].map(([, name]) => `s3:${name}`).toSorted();
  };
  const reserved = (to: "owner" | "signed"): string[] =>
    Object.entries(ACTIONS)
      .flatMap(([name, { onlyFor }]) => (onlyFor === to ? [name] : []))
      .toSorted();
  assert.deepEqual(listed("For keys of the bucket's owner alone"), reserved("owner"));
  assert.deepEqual(listed("Never without a signature"), reserved("signed"));
});
