import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { appendAuthChange } from "#domain/identity/index.ts";
import { insertProject, newProject } from "#domain/projects/index.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { createS3, S3Error, unreachedBuckets } from "../index.ts";
import { fails } from "../testing/fails.ts";
import {
  callerOf,
  newBucket,
  openS3Ground,
  ORG_ID,
  OTHER_ORG_ID,
  PRIVATE_ID,
  PROJECT_ID,
  type S3Ground,
} from "../testing/ground.ts";
import type { AccessRequest, Bucket, S3Caller, S3Principal } from "../types/index.ts";
import { cannedAcl } from "./acl.ts";
import { ACTIONS } from "./actions.ts";

const FROM = { sourceIp: "10.1.2.3", isSecure: false };
const SYSTEM = { actor: { kind: "system", id: "test", orgId: ORG_ID } } as const;
const ACTIVE = { state: "active", reason: null } as const;
const NOBODY = { kind: "anonymous", orgId: ORG_ID, organization: ACTIVE } as const;

for (const { kind, skip } of DATABASES) {
  describe(`access to buckets on ${kind}`, { skip }, () => {
    let g: S3Ground;
    let owner: S3Caller;
    let elsewhere: S3Caller;

    before(async () => {
      g = await openS3Ground(kind === "sqlite" ? {} : { url: await postgresUrl("s3-access") });
      owner = await g.key();
      const { id } = await otherProject(g);
      elsewhere = await g.key({ projectId: id });
    });
    after(() => g.close());

    const may = (
      who: S3Caller | S3Principal,
      bucket: Bucket,
      action: string,
      more: Partial<AccessRequest> = {},
    ): Promise<boolean> =>
      g.s3.access.allows("principal" in who ? who.principal : who, { ...FROM, action, bucket, ...more });
    const configure = async (bucket: Bucket, kindOf: "acl" | "policy", value: never): Promise<Bucket> =>
      g.s3.buckets.configure(owner, bucket, { kind: kindOf, value });

    test("a suspended organization allows reading or nothing, also what a policy opens to everybody", async () => {
      const bucket = await newBucket(g, owner);
      const statement = {
        Effect: "Allow",
        Principal: "*",
        Action: "s3:*",
        Resource: [`arn:aws:s3:::${bucket.name}/*`],
      };
      const open = await configure(
        bucket,
        "policy",
        JSON.stringify({ Version: "2012-10-17", Statement: [statement] }) as never,
      );
      const all = await g.key();
      for (const [action, { scope }] of Object.entries(ACTIONS)) {
        for (const who of [all.principal, NOBODY]) {
          const before = await may(who, open, action, { key: "k" });
          const as = (state: "read_only" | "blocked"): S3Principal => ({
            ...who,
            organization: { state, reason: null },
          });
          const isRead = scope === "s3:read";
          assert.equal(await may(as("read_only"), open, action, { key: "k" }), before && isRead, `${action} read-only`);
          assert.equal(await may(as("blocked"), open, action, { key: "k" }), false, `${action} blocked`);
        }
      }
      const blocked = { state: "blocked", reason: "abuse" } as const;
      const ask = { ...FROM, action: "s3:GetObject", bucket: open, key: "k" };
      const asNobody = { ...NOBODY, organization: blocked };
      await fails("NoSuchBucket", g.s3.access.require(asNobody, ask));
      const asKey = { ...all.principal, organization: blocked } as S3Principal;
      await assert.rejects(g.s3.access.require(asKey, ask), /blocked.*The operator's reason: abuse\./);
    });

    test("a key may do in its own buckets what its scopes allow, and nothing in other buckets", async () => {
      const bucket = await newBucket(g, owner);
      const key = { key: "k" };
      const callers = await Promise.all(
        (["s3:read", "s3:write", "s3:delete", "apps:write"] as const).map(async (held) => ({
          held,
          caller: await g.key({ scopes: [held] }),
        })),
      );
      for (const [action, { scope }] of Object.entries(ACTIONS)) {
        for (const { held, caller } of callers)
          assert.equal(await may(caller, bucket, action, key), scope === held, `${action} with ${held}`);
        assert.equal(await may(elsewhere, bucket, action, key), false, `${action} of another project`);
        assert.equal(await may(NOBODY, bucket, action, key), false, `${action} without a signature`);
      }
    });

    test("buckets of another organization and of private projects are hidden", async () => {
      const bucket = await newBucket(g, owner);
      const foreign = await g.key({}, OTHER_ORG_ID);
      const inside = await g.key({ projectId: PRIVATE_ID });
      const hidden = await newBucket(g, inside);
      await fails("NoSuchBucket", g.s3.buckets.find(foreign.principal, bucket.name));
      await fails("NoSuchBucket", g.s3.buckets.find(owner.principal, hidden.name));
      await fails("BucketAlreadyExists", g.s3.buckets.create(owner, { name: hidden.name }));
      await fails("BucketAlreadyOwnedByYou", g.s3.buckets.create(owner, { name: bucket.name }));
      assert.equal((await g.s3.buckets.find(inside.principal, hidden.name)).id, hidden.id);
      assert.equal((await g.s3.buckets.find(elsewhere.principal, bucket.name)).id, bucket.id); // The whole organization sees this project.
      const listed = async (caller: S3Caller) =>
        (await g.s3.buckets.list(caller.principal, { prefix: "", after: "", max: 1000 })).buckets.map(
          ({ name }) => name,
        );
      assert.ok((await listed(owner)).includes(bucket.name));
      assert.deepEqual(await listed(inside), [hidden.name]);
      assert.deepEqual([await listed(elsewhere), await listed(foreign)], [[], []]);
    });

    test("a policy can't widen a key's own limits", async () => {
      const bucket = await newBucket(g, owner);
      const limited = await g.key({ buckets: [bucket.name], prefix: "in/" });
      const policy = {
        Statement: {
          Effect: "Allow",
          Principal: "*",
          Action: "s3:*",
          Resource: [`arn:aws:s3:::${bucket.name}`, `arn:aws:s3:::${bucket.name}/*`],
        },
      };
      const open = await configure(bucket, "policy", JSON.stringify(policy) as never);
      for (const each of [bucket, open]) {
        assert.equal(await may(limited, each, "s3:GetObject", { key: "in/x" }), true);
        assert.equal(await may(limited, each, "s3:GetObject", { key: "out/x" }), false);
        assert.equal(await may(limited, each, "s3:ListBucket", { values: { "s3:prefix": "in/" } }), true);
        assert.equal(await may(limited, each, "s3:ListBucket", { values: { "s3:prefix": "" } }), false);
        assert.equal(await may(limited, each, "s3:ListBucket"), false);
        assert.equal(await may(limited, each, "s3:PutBucketPolicy"), false);
        assert.equal(await may(limited, each, "s3:HeadBucket"), true);
      }
      const other = await newBucket(g, owner);
      await fails("AccessDenied", g.s3.buckets.find(limited.principal, other.name));
      await fails("AccessDenied", g.s3.buckets.find(limited.principal, "there-is-none"));
      const reader = await g.key({ readOnly: true });
      assert.equal(await may(reader, open, "s3:PutObject", { key: "k" }), false);
    });

    test("a policy opens a bucket to others and to everybody; a denial applies to the owner too, except for the policy itself", async () => {
      const bucket = await newBucket(g, owner);
      const arn = `arn:aws:s3:::${bucket.name}`;
      const { id } = elsewhere.principal.kind === "key" ? elsewhere.principal.owner : { id: "" };
      const policy = {
        Statement: [
          { Effect: "Allow", Principal: { AWS: id }, Action: "s3:PutObject", Resource: `${arn}/*` },
          { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `${arn}/public/*` },
          {
            Effect: "Deny",
            Principal: "*",
            Action: "s3:*",
            Resource: [arn, `${arn}/*`],
            Condition: { NotIpAddress: { "aws:SourceIp": "10.0.0.0/8" } },
          },
        ],
      };
      const open = await configure(bucket, "policy", JSON.stringify(policy) as never);
      assert.equal(await may(elsewhere, open, "s3:PutObject", { key: "k" }), true);
      assert.equal(await may(elsewhere, open, "s3:DeleteObject", { key: "k" }), false);
      assert.equal(await may(NOBODY, open, "s3:GetObject", { key: "public/k" }), true);
      assert.equal(await may(NOBODY, open, "s3:GetObject", { key: "k" }), false);
      const outside = { sourceIp: "192.0.2.1" };
      assert.equal(await may(owner, open, "s3:GetObject", { key: "k", ...outside }), false);
      assert.equal(await may(owner, open, "s3:DeleteBucketPolicy", outside), true);
      assert.equal(await may(elsewhere, open, "s3:DeleteBucketPolicy", outside), false);
    });

    test("only the owner administers a bucket, with any policy or ACL; others may get only PutBucketAcl, and never without a signature", async () => {
      const bucket = await newBucket(g, owner);
      const arns = [`arn:aws:s3:::${bucket.name}`, `arn:aws:s3:::${bucket.name}/*`];
      const open = { Effect: "Allow", Principal: "*", Resource: arns };
      const named = elsewhere.principal.kind === "key" ? elsewhere.principal.owner.id : "";
      const policies = [
        { ...open, Action: "s3:*" },
        { ...open, Action: "*" },
        { ...open, NotAction: "s3:PutObject" },
        { ...open, Principal: { AWS: named }, Action: ["s3:PutBucket*", "s3:DeleteBucket*", "s3:PutLifecycle*"] },
      ];
      const everyAcl = (["WRITE_ACP", "FULL_CONTROL"] as const).map((permission) => ({
        grantee: { kind: "group", uri: "http://acs.amazonaws.com/groups/global/AllUsers" } as const,
        permission,
      }));
      const listed = await configure(bucket, "acl", { owner: bucket.owner, grants: everyAcl } as never);
      for (const statement of policies) {
        const opened = await configure(listed, "policy", JSON.stringify({ Statement: statement }) as never);
        for (const [action, { onlyFor }] of Object.entries(ACTIONS)) {
          const key = { key: "k" };
          if (onlyFor !== undefined) assert.equal(await may(NOBODY, opened, action, key), false, `${action} by nobody`);
          if (onlyFor !== "owner") continue;
          assert.equal(await may(elsewhere, opened, action, key), false, `${action} by another project`);
          assert.equal(await may(owner, opened, action, key), true, `${action} by the owner`);
        }
        assert.equal(await may(elsewhere, opened, "s3:PutBucketAcl"), true, JSON.stringify(statement));
      }
      assert.equal(await may(elsewhere, listed, "s3:PutBucketAcl"), false, "to a group that a list names");
      const grants = [{ grantee: { kind: "user", id: named } as const, permission: "WRITE_ACP" }];
      const given = await configure(bucket, "acl", { owner: bucket.owner, grants } as never);
      assert.equal(await may(elsewhere, given, "s3:PutBucketAcl"), true, "to a canonical user that a list names");
      assert.equal(await may(NOBODY, given, "s3:PutBucketAcl"), false);
    });

    test("before the body is read, a request is allowed if some key or some tags would be allowed", async () => {
      const bucket = await newBucket(g, owner);
      const unread = { unread: new Set(["key"] as const) };
      const could = (who: S3Caller | S3Principal, each: Bucket) => may(who, each, "s3:DeleteObject", unread);
      assert.deepEqual(
        [await could(NOBODY, bucket), await could(elsewhere, bucket), await could(owner, bucket)],
        [false, false, true],
      );
      const limited = await g.key({ buckets: [bucket.name], prefix: "in/" });
      assert.equal(await could(limited, bucket), true);
      const open = async (more: object): Promise<Bucket> => {
        const statement = {
          Effect: "Allow",
          Principal: "*",
          Action: "s3:GetObject",
          Resource: `arn:aws:s3:::${bucket.name}/a/*`,
        };
        return configure(bucket, "policy", JSON.stringify({ Statement: { ...statement, ...more } }) as never);
      };
      assert.equal(await could(NOBODY, await open({})), false, "a permission to read does not allow deletion");
      const deleting = await open({ Action: "s3:DeleteObject" });
      assert.deepEqual(
        [await could(NOBODY, deleting), await may(NOBODY, deleting, "s3:DeleteObject", { key: "b" })],
        [true, false],
      );
      const tagged = await open({
        Action: "s3:PutObjectTagging",
        Condition: { StringEquals: { "s3:RequestObjectTag/a": "b" } },
      });
      const tag = (more: Partial<AccessRequest>) => may(NOBODY, tagged, "s3:PutObjectTagging", { key: "a/k", ...more });
      assert.equal(await tag({ unread: new Set(["tags"] as const) }), true);
      assert.deepEqual([await tag({ values: { "s3:requestobjecttag/a": "b" } }), await tag({})], [true, false]);
    });

    test("a stored policy that is invalid now denies everything except its deletion by the owner", async () => {
      const bucket = await newBucket(g, owner);
      const { id } = bucket;
      await g.ground.metadata.write(async (tx) => {
        const config = JSON.stringify({ policy: "{}" });
        await tx
          .insertInto("s3_bucket")
          .values({ id, org_id: ORG_ID, versioning: "unversioned", config, revision: 1 })
          .execute();
      });
      const broken = await g.s3.buckets.find(owner.principal, bucket.name);
      assert.equal(broken.config.policy, "{}");
      assert.deepEqual(
        [await may(owner, broken, "s3:GetObject", { key: "k" }), await may(owner, broken, "s3:DeleteBucketPolicy")],
        [false, true],
      );
    });

    test("a policy sees the tags of objects", async () => {
      const bucket = await newBucket(g, owner);
      await g.put(owner, bucket, "open", "x", { tags: { level: "public" } });
      await g.put(owner, bucket, "closed", "x", { tags: { level: "secret" } });
      const statement = {
        Effect: "Allow",
        Principal: "*",
        Action: "s3:GetObject",
        Resource: `arn:aws:s3:::${bucket.name}/*`,
      };
      const condition = { StringEquals: { "s3:ExistingObjectTag/level": "public" } };
      const open = await configure(
        bucket,
        "policy",
        JSON.stringify({ Statement: { ...statement, Condition: condition } }) as never,
      );
      const read = (key: string) => may(NOBODY, open, "s3:GetObject", { key });
      assert.deepEqual([await read("open"), await read("closed"), await read("none")], [true, false, false]);
    });

    test("access control lists open buckets and objects to everybody, to keys and to one project", async () => {
      const bucket = await newBucket(g, owner);
      const withAcl = (name: "public-read" | "public-read-write" | "authenticated-read") =>
        cannedAcl(name, bucket.owner);
      await g.put(owner, bucket, "plain");
      await g.put(owner, bucket, "open", "x", { acl: withAcl("public-read") });
      await g.put(owner, bucket, "keys", "x", { acl: withAcl("authenticated-read") });
      const reads = async (who: S3Caller | S3Principal, each: Bucket) =>
        Promise.all(["plain", "open", "keys", "none"].map((key) => may(who, each, "s3:GetObject", { key })));
      assert.deepEqual(await reads(NOBODY, bucket), [false, true, false, false]);
      assert.deepEqual(await reads(elsewhere, bucket), [false, true, true, false]);
      const listed = await configure(bucket, "acl", withAcl("public-read") as never);
      assert.deepEqual(await reads(NOBODY, listed), [false, true, false, true]); // A caller who may list may learn that "none" does not exist.
      assert.equal(await may(NOBODY, listed, "s3:ListBucket", { values: { "s3:prefix": "" } }), true);
      assert.equal(await may(NOBODY, listed, "s3:PutObject", { key: "k" }), false);
      const written = await configure(bucket, "acl", withAcl("public-read-write") as never);
      assert.equal(await may(NOBODY, written, "s3:PutObject", { key: "k" }), true);
      const blocked = await g.s3.buckets.configure(owner, written, {
        kind: "publicAccessBlock",
        value: { blockPublicAcls: true, ignorePublicAcls: true, blockPublicPolicy: true, restrictPublicBuckets: true },
      });
      assert.equal(await may(NOBODY, blocked, "s3:PutObject", { key: "k" }), false);
      assert.deepEqual(await reads(NOBODY, blocked), [false, false, false, false]);
      await fails("AccessDenied", configure(blocked, "acl", withAcl("public-read") as never));
    });

    test("every node refuses a key at the next request after its revocation or its creator's loss of the permission", async () => {
      const developer = await g.ground.person("developer");
      const made = await g.identity.s3Keys.create({ actor: developer }, { name: "x", projectId: null });
      const revoked = await g.identity.s3Keys.create(SYSTEM, { name: "y", projectId: null });
      const nodes = [g.s3, createS3({ ...g.deps, metadata: await g.ground.reopen() })];
      for (const node of nodes) {
        assert.equal((await callerOf(node, made.key.accessKeyId)).principal.scopes.has("s3:write"), true);
        assert.equal((await node.keys.admit(revoked.key.accessKeyId))?.secret, revoked.secret);
      }
      await g.ground.setRole(developer.id, "viewer");
      await g.identity.s3Keys.revoke(SYSTEM, revoked.key.accessKeyId);
      for (const node of nodes) {
        assert.deepEqual([...(await callerOf(node, made.key.accessKeyId)).principal.scopes], ["s3:read"]);
        assert.equal(await node.keys.admit(revoked.key.accessKeyId), undefined);
      }
      await g.ground.setRole(developer.id, null);
      for (const node of nodes) assert.equal((await callerOf(node, made.key.accessKeyId)).principal.scopes.size, 0);
    });

    test("a refused key gets the reason: its scopes, its creator's role, the policy, or a parent", async () => {
      const bucket = await newBucket(g, owner);
      const why = async (accessKeyId: string, action = "s3:PutObject"): Promise<string> => {
        const caller = await callerOf(g.s3, accessKeyId);
        const asked = g.s3.access.require(caller.principal, { ...FROM, action, bucket, key: "k" });
        return asked.then(
          () => "allowed",
          (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
        );
      };
      const developer = await g.ground.person("developer");
      const made = await g.identity.s3Keys.create({ actor: developer }, { name: "x", projectId: null });
      const { accessKeyId } = made.key;
      assert.equal(await why(accessKeyId), "allowed");
      await g.ground.setRole(developer.id, "viewer");
      assert.match(
        await why(accessKeyId),
        /^AccessDenied: .*s3:write.*person responsible for it was lowered to viewer/,
      );
      await g.ground.setRole(developer.id, null);
      assert.match(await why(accessKeyId), /has left the organization/);
      const reading = await g.identity.s3Keys.create(SYSTEM, { name: "r", projectId: null, scopes: ["s3:read"] });
      assert.match(await why(reading.key.accessKeyId), /s3:write\. The credential was not given this scope/);
      const whole = await g.identity.s3Keys.create(SYSTEM, { name: "w", projectId: null });
      await g.ground.organization({ policy: { allowed_scopes: ["s3:read"] } });
      assert.match(await why(whole.key.accessKeyId), /the organization's policy forbids it for credentials/);
      await g.ground.organization({ policy: {} });
      assert.equal(await why(whole.key.accessKeyId), "allowed");
    });

    test("a key expires at its time, and loses permissions that the organization's policy forbids", async () => {
      const expiresAtMs = g.ground.clock.nowMs() + 5000;
      const { key } = await g.identity.s3Keys.create(SYSTEM, { name: "x", projectId: PROJECT_ID, expiresAtMs });
      assert.notEqual(await g.s3.keys.admit(key.accessKeyId), undefined);
      await g.ground.organization({ policy: { allowed_scopes: ["s3:read", "files:read"] } });
      assert.deepEqual([...(await callerOf(g.s3, key.accessKeyId)).principal.scopes], ["s3:read"]);
      await g.ground.organization({ policy: {} });
      g.ground.clock.advance(5000);
      assert.equal(await g.s3.keys.admit(key.accessKeyId), undefined);
    });

    test("nobody gives permissions that they lack", async () => {
      const viewer = await g.ground.person("viewer");
      const developer = await g.ground.person("developer");
      const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
      await assert.rejects(
        g.identity.s3Keys.create({ actor: viewer }, { name: "x", projectId: null }),
        refused("insufficient_scope"),
      );
      await assert.rejects(
        g.identity.s3Keys.create({ actor: developer }, { name: "x", projectId: PRIVATE_ID }),
        refused("not_found"),
      );
      const writer = await g.ground.person("viewer", { [PROJECT_ID]: "maintainer" });
      const { key } = await g.identity.s3Keys.create({ actor: writer }, { name: "x", projectId: PROJECT_ID });
      assert.deepEqual(key.scopes.toSorted(), ["apps:write", "s3:delete", "s3:read", "s3:write"]);
      await assert.rejects(
        g.identity.s3Keys.create({ actor: writer }, { name: "x", projectId: null }),
        refused("insufficient_scope"),
      );
    });

    test("a request without a signature reaches the organization that the setting names, or the oldest one", async () => {
      assert.deepEqual(await g.s3.keys.anonymous(), { kind: "anonymous", orgId: ORG_ID, organization: ACTIVE });
      assert.deepEqual(await g.s3.keys.anonymous("other"), {
        kind: "anonymous",
        orgId: OTHER_ORG_ID,
        organization: ACTIVE,
      });
      const unset = createS3({ ...g.deps, settings: { ...g.deps.settings, publicOrganization: null } });
      assert.equal((await unset.keys.anonymous()).orgId, ORG_ID); // The oldest of two organizations.
      const wrong = createS3({ ...g.deps, settings: { ...g.deps.settings, publicOrganization: "nobody-is" } });
      assert.equal((await wrong.keys.anonymous()).orgId, null);
    });

    test("a public grant that no unsigned request could use is refused and names the setting; existing grants are shown", async () => {
      const bucket = await newBucket(g, owner);
      const open = {
        Effect: "Allow",
        Principal: "*",
        Action: "s3:GetObject",
        Resource: `arn:aws:s3:::${bucket.name}/*`,
      };
      const elsewhereMeant = createS3({ ...g.deps, settings: { ...g.deps.settings, publicOrganization: "other" } });
      const policy = (s3: typeof elsewhereMeant, statement: object) =>
        s3.buckets.configure(owner, bucket, { kind: "policy", value: JSON.stringify({ Statement: statement }) });
      const names = (error: unknown): boolean =>
        error instanceof S3Error &&
        error.code === "InvalidRequest" &&
        /s3_public_organization is other; .* set it to acme\./.test(error.message);
      const acl = cannedAcl("public-read", bucket.owner);
      await assert.rejects(policy(elsewhereMeant, open), names);
      await assert.rejects(
        policy(elsewhereMeant, { ...open, Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } }),
        names,
      );
      await assert.rejects(elsewhereMeant.buckets.configure(owner, bucket, { kind: "acl", value: acl }), names);
      await assert.rejects(elsewhereMeant.buckets.create(owner, { name: "never-public", acl }), names);
      await assert.rejects(elsewhereMeant.buckets.requireReached(bucket, acl), names);
      const isShown = async (setting: string | null) =>
        (await unreachedBuckets(g.deps, setting)).some(({ name }) => name === bucket.name);
      await policy(elsewhereMeant, { ...open, Principal: { AWS: bucket.owner.id } });
      await policy(elsewhereMeant, { ...open, Effect: "Deny" });
      assert.equal(await isShown("other"), false);
      await policy(g.s3, open);
      assert.deepEqual([await isShown("other"), await isShown("acme"), await isShown(null)], [true, false, false]);
    });

    test("an object's public access control list is refused if the bucket blocks public ones", async () => {
      const bucket = await newBucket(g, owner);
      await g.put(owner, bucket, "k");
      const block = {
        blockPublicAcls: true,
        ignorePublicAcls: false,
        blockPublicPolicy: false,
        restrictPublicBuckets: false,
      };
      const blocked = await g.s3.buckets.configure(owner, bucket, { kind: "publicAccessBlock", value: block });
      await fails(
        "AccessDenied",
        g.s3.objects.setAcl(owner, blocked, { key: "k" }, cannedAcl("public-read", bucket.owner)),
      );
    });

    test("an organization's quota applies to objects and parts together", async () => {
      const small = createS3({ ...g.deps, settings: { ...g.deps.settings, storedBytesMax: (await used(g)) + 10 } });
      const bucket = await newBucket(g, owner);
      const put = async (key: string, content: string) =>
        small.objects.put(owner, bucket, { key, content: await g.stage(content), headers: {}, metadata: {}, tags: {} });
      await put("a", "12345");
      const upload = await small.uploads.create(owner, bucket, { key: "u", headers: {}, metadata: {}, tags: {} });
      await small.uploads.putPart(owner, bucket, {
        key: "u",
        uploadId: upload.id,
        number: 1,
        content: await g.stage("1234"),
      });
      await fails("QuotaExceeded", put("b", "12"));
      await fails(
        "QuotaExceeded",
        small.objects.reserve(bucket, 2, () => Promise.resolve()),
      );
      await put("b", "1");
      await small.uploads.abort(owner, bucket, "u", upload.id);
      await put("c", "1234");
    });
  });
}

async function otherProject(g: S3Ground): Promise<{ id: string }> {
  const row = newProject({
    id: "proj_00000000000000000000000009",
    org_id: ORG_ID,
    slug: "elsewhere",
    name: "x",
    visibility: "organization",
    environment: null,
    created_at: 9e12,
  });
  await g.ground.metadata.write(async (tx) => {
    await insertProject(tx, row);
    await appendAuthChange({ metadata: g.ground.metadata, clock: g.ground.clock }, tx, {
      kind: "organization",
      subject: ORG_ID,
    });
  });
  return row;
}

async function used(g: S3Ground): Promise<number> {
  const rows = await g.ground.metadata.read
    .selectFrom("s3_usage")
    .select("bytes")
    .where("org_id", "=", ORG_ID)
    .execute();
  return rows.reduce((sum, row) => sum + row.bytes, 0);
}
