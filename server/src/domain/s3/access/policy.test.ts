import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { S3Error } from "../errors.ts";
import { evaluate, isPublicPolicy, parsePolicy, validatePolicy, type PolicyRequest, type Verdict } from "./policy.ts";
import { wildcard } from "./wildcard.ts";

type Values = Readonly<Record<string, string | readonly string[]>>;

function verdict(
  statements: object | readonly object[],
  request: Partial<Omit<PolicyRequest, "values">> & { values?: Values } = {},
): Verdict {
  const policy = parsePolicy(JSON.stringify({ Version: "2012-10-17", Statement: statements }), "shop");
  const values = request.values ?? {};
  return evaluate(policy, {
    names: [],
    action: "s3:GetObject",
    resource: "arn:aws:s3:::shop/a/b",
    ...request,
    values: (key) => (values[key] === undefined ? undefined : [values[key]].flat()),
  });
}

const ALLOW = { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: "arn:aws:s3:::shop/*" } as const;

describe("a bucket policy", () => {
  test("does not decide about actions that no statement names", () => {
    assert.equal(verdict(ALLOW), "allow");
    assert.equal(verdict(ALLOW, { action: "s3:PutObject" }), "none");
    assert.equal(verdict(ALLOW, { resource: "arn:aws:s3:::shop" }), "none");
    assert.equal(verdict({ ...ALLOW, Action: "s3:get*" }), "allow", "actions are case-insensitive");
    assert.equal(verdict({ ...ALLOW, Action: ["s3:PutObject", "s3:Get?bject"] }), "allow");
    assert.equal(verdict({ ...ALLOW, Resource: "arn:aws:s3:::shop/A/*" }), "none", "keys are case-sensitive");
  });

  test("a denial overrides any permission, in any order", () => {
    const deny = { ...ALLOW, Effect: "Deny", Resource: "arn:aws:s3:::shop/a/*" };
    assert.equal(verdict([ALLOW, deny]), "deny");
    assert.equal(verdict([deny, ALLOW]), "deny");
    assert.equal(verdict([deny, ALLOW], { resource: "arn:aws:s3:::shop/b" }), "allow");
  });

  test("matches principals by their IDs, by ARNs, and everybody", () => {
    const to = (aws: unknown) => ({ ...ALLOW, Principal: { AWS: aws } });
    assert.equal(verdict(to("proj_1"), { names: ["proj_1"] }), "allow");
    assert.equal(verdict(to(["arn:aws:iam::proj_1:root"]), { names: ["proj_1"] }), "allow");
    assert.equal(verdict(to("arn:aws:iam:::user/proj_1"), { names: ["proj_1"] }), "allow");
    assert.equal(verdict(to("proj_1"), { names: ["proj_2"] }), "none");
    assert.equal(verdict(to("proj_1")), "none");
    assert.equal(verdict(to("*")), "allow");
    const others = { Effect: "Deny", Action: "s3:GetObject", Resource: "arn:aws:s3:::shop/*" };
    assert.equal(verdict({ ...others, NotPrincipal: { AWS: "proj_1" } }, { names: ["proj_1"] }), "none");
    assert.equal(verdict({ ...others, NotPrincipal: { AWS: "proj_1" } }, { names: ["proj_2"] }), "deny");
  });

  test("negates actions and resources", () => {
    const { Action: _action, Resource: _resource, ...rest } = ALLOW;
    assert.equal(verdict({ ...rest, NotAction: "s3:PutObject", Resource: "arn:aws:s3:::shop/*" }), "allow");
    assert.equal(verdict({ ...rest, NotAction: "s3:Get*", Resource: "arn:aws:s3:::shop/*" }), "none");
    assert.equal(verdict({ ...rest, Action: "s3:*", NotResource: "arn:aws:s3:::shop/a/*" }), "none");
    assert.equal(verdict({ ...rest, Action: "s3:*", NotResource: "arn:aws:s3:::shop/b/*" }), "allow");
  });

  const CONDITIONS: readonly [string, object, Values, boolean][] = [
    ["equal texts", { StringEquals: { "s3:prefix": "a" } }, { "s3:prefix": "a" }, true],
    ["other texts", { StringEquals: { "s3:prefix": ["b", "c"] } }, { "s3:prefix": "a" }, false],
    ["an absent key", { StringEquals: { "s3:prefix": "a" } }, {}, false],
    ["an absent key in a negated condition", { StringNotEquals: { "s3:prefix": "a" } }, {}, true],
    ["an absent key if it exists", { StringEqualsIfExists: { "s3:prefix": "a" } }, {}, true],
    ["texts without case", { StringEqualsIgnoreCase: { "s3:prefix": "A" } }, { "s3:prefix": "a" }, true],
    [
      "a pattern",
      { StringLike: { "aws:Referer": "http://*.example/*" } },
      { "aws:referer": "http://a.example/x" },
      true,
    ],
    ["no match of several patterns", { StringNotLike: { "s3:prefix": ["a*", "b*"] } }, { "s3:prefix": "b1" }, false],
    ["an address within", { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } }, { "aws:sourceip": "10.2.3.4" }, true],
    [
      "an address outside",
      { IpAddress: { "aws:SourceIp": ["10.0.0.0/8", "::1"] } },
      { "aws:sourceip": "11.2.3.4" },
      false,
    ],
    [
      "an IPv4-mapped address in the range",
      { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } },
      { "aws:sourceip": "::ffff:10.2.3.4" },
      true,
    ],
    [
      "an address in an excluded range",
      { NotIpAddress: { "aws:SourceIp": "10.0.0.0/8" } },
      { "aws:sourceip": "10.2.3.4" },
      false,
    ],
    ["a flag", { Bool: { "aws:SecureTransport": false } }, { "aws:securetransport": "false" }, true],
    ["a number below", { NumericLessThanEquals: { "s3:max-keys": "10" } }, { "s3:max-keys": "10" }, true],
    ["a number above", { NumericLessThan: { "s3:max-keys": 10 } }, { "s3:max-keys": "10" }, false],
    [
      "a date",
      { DateGreaterThan: { "aws:CurrentTime": "2026-01-01T00:00:00Z" } },
      { "aws:currenttime": "2026-11-20T00:00:00Z" },
      true,
    ],
    ["a date in seconds", { DateLessThan: { "aws:EpochTime": "100" } }, { "aws:epochtime": "99" }, true],
    ["a key that must be absent", { Null: { "s3:x-amz-acl": "true" } }, {}, true],
    ["a key that must be present", { Null: { "s3:x-amz-acl": "false" } }, {}, false],
    ["all of several values", { "ForAllValues:StringLike": { k: "a*" } }, { k: ["a1", "b"] }, false],
    ["any of several values", { "ForAnyValue:StringLike": { k: "a*" } }, { k: ["a1", "b"] }, true],
    ["two conditions, one of them false", { StringEquals: { a: "1", b: "2" } }, { a: "1", b: "3" }, false],
  ];

  for (const [what, condition, values, passes] of CONDITIONS) {
    test(`with a condition: ${what}`, () => {
      assert.equal(verdict({ ...ALLOW, Condition: condition }, { values }), passes ? "allow" : "none");
    });
  }

  test("is public if it allows something to everybody from any address", () => {
    const isPublic = (statement: object): boolean =>
      isPublicPolicy(parsePolicy(JSON.stringify({ Statement: statement }), "shop"));
    assert.equal(isPublic(ALLOW), true);
    assert.equal(isPublic({ ...ALLOW, Effect: "Deny" }), false);
    assert.equal(isPublic({ ...ALLOW, Principal: { AWS: "proj_1" } }), false);
    assert.equal(isPublic({ ...ALLOW, Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } }), false);
    assert.equal(isPublic({ ...ALLOW, Condition: { StringLike: { "s3:prefix": "a*" } } }), true);
  });

  test("is refused with the reason if it is invalid", () => {
    const bad: readonly (string | object)[] = [
      "{",
      "[]",
      { Statement: [] },
      { Statement: { ...ALLOW, Effect: "Maybe" } },
      { Statement: { ...ALLOW, Action: "ec2:Run" } },
      { Statement: { ...ALLOW, Resource: "arn:aws:s3:::other/*" } },
      { Statement: { ...ALLOW, Resource: "shop" } },
      { Statement: { ...ALLOW, Principal: undefined } },
      { Statement: { ...ALLOW, Principal: { Federated: "x" } } },
      { Statement: { ...ALLOW, Condition: { StringMaybe: { a: "b" } } } },
      { Statement: { ...ALLOW, Condition: { IpAddress: { "aws:SourceIp": "here" } } } },
      { Statement: { ...ALLOW, Principal: undefined, NotPrincipal: { AWS: "proj_1" } } },
      { Statement: { ...ALLOW, Foreign: 1 } },
      { Version: "2099-01-01", Statement: ALLOW },
      { Statement: { ...ALLOW, Sid: "x".repeat(21_000) } },
    ];
    for (const policy of bad) {
      const text = typeof policy === "string" ? policy : JSON.stringify(policy);
      assert.throws(
        () => parsePolicy(text, "shop"),
        (error: unknown) => error instanceof S3Error && error.code === "MalformedPolicy",
        text.slice(0, 200),
      );
    }
  });
});

test("matching many stars takes at most the product of both lengths", () => {
  const began = performance.now();
  const text = "a".repeat(1024);
  assert.equal(wildcard(`${"*a".repeat(300)}b`)(text), false);
  assert.equal(wildcard(`${"*a".repeat(300)}*`)(text), true);
  assert.ok(performance.now() - began < 30_000);
  const letters = (count: number, of: string): string =>
    Array.from({ length: count }, () => of[Math.floor(Math.random() * of.length)]).join("");
  for (let i = 0; i < 20_000; i += 1) {
    const [pattern, name] = [letters(i % 8, "ab*?"), letters(i % 11, "ab")];
    const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
    assert.equal(wildcard(pattern)(name), expression.test(name), `${pattern} ${name}`);
  }
  assert.deepEqual(
    ["*", "a*", "*c", "a?c", "a*b*c", "?", "", "ab"].map((pattern) => wildcard(pattern)("abc")),
    [true, true, true, true, true, false, false, false],
  );
});

test("has a limit of actions and resources over all statements", () => {
  const policyWith = (actions: number, resources: number): string => {
    const texts = (count: number, text: (i: number) => string): string[] =>
      Array.from({ length: count }, (_, i) => text(i));
    const action = texts(actions, () => "s3:GetObject");
    const resource = texts(resources, (i) => `arn:aws:s3:::shop/${i}`);
    const first = { ...ALLOW, Principal: { AWS: "x" }, Action: action.slice(1), Resource: resource.slice(1) };
    const second = { ...ALLOW, Principal: { AWS: "x" }, Action: action[0], Resource: resource[0] };
    return JSON.stringify({ Version: "2012-10-17", Statement: [first, second] });
  };
  assert.equal(validatePolicy(policyWith(500, 2), "shop").statements.length, 2);
  assert.throws(() => validatePolicy(policyWith(501, 2), "shop"), /more than 500 actions/);
  assert.equal(validatePolicy(policyWith(2, 500), "shop").statements.length, 2);
  assert.throws(() => validatePolicy(policyWith(2, 501), "shop"), /more than 500 resources/);
});
