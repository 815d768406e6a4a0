/** Keys that are limited to buckets and prefixes, by id. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SCOPES, type Scope } from "@mooring/contract";
import { newKeyOfGrant, principalOn } from "#domain/s3/index.ts";
import { ORG_ID } from "#domain/s3/testing/ground.ts";
import { presignedTarget } from "./index.ts";
import {
  refused,
  REGION,
  succeeded,
  texts,
  openGateway,
  type Answer,
  type Call,
  type Key,
  type TestGateway,
} from "./testing/gateway.ts";
import { FORM_TYPE, formBody, signedFields } from "./testing/forms.ts";
import { begin, completion, part } from "./testing/uploads.ts";

const own = "own-bucket";
const other = "other-bucket";
const SYSTEM = { actor: { kind: "system", id: "test", orgId: ORG_ID } } as const;

let gateway: TestGateway;
let narrow: Key;

before(async () => {
  gateway = await openGateway();
  for (const name of [own, other]) succeeded(await gateway.call("PUT", `/${name}`));
  for (const key of ["in/a", "in/b", "inside", "out/a"])
    succeeded(await gateway.call("PUT", `/${own}/${key}`, { body: key }));
  succeeded(await gateway.call("PUT", `/${other}/in/secret`, { body: "secret" }));
  narrow = await gateway.newKey({ resources: { buckets: [{ name: own, prefix: "in/" }] } });
});

after(() => gateway.close());

const call = (method: string, target: string, more: Call = {}, key = narrow): Promise<Answer> =>
  gateway.call(method, target, { ...more, sign: { key } });

test("lists only below its prefix, and nothing without one", async () => {
  assert.deepEqual(texts(succeeded(await call("GET", `/${own}?list-type=2&prefix=in/`)), "Key"), ["in/a", "in/b"]);
  assert.deepEqual(texts(succeeded(await call("GET", `/${own}?prefix=in/a`)), "Key"), ["in/a"]);
  for (const query of ["", "prefix=", "prefix=in", "delimiter=/", "prefix=&delimiter=/", "prefix=out/", "marker=in/"])
    refused(await call("GET", `/${own}?${query}`), "AccessDenied");
  for (const query of [
    "versions",
    "versions&prefix=i",
    "uploads",
    "uploads&prefix=out/",
    "list-type=2&start-after=in/",
  ])
    refused(await call("GET", `/${own}?${query}`), "AccessDenied");
  succeeded(await call("GET", `/${own}?versions&prefix=in/`));
  assert.deepEqual(texts(succeeded(await call("GET", "/")), "Name"), [own], "the list of buckets");
});

test("reads and writes only below its prefix", async () => {
  assert.equal((await call("GET", `/${own}/in/a`)).text, "in/a");
  succeeded(await call("PUT", `/${own}/in/new`, { body: "x" }));
  for (const key of ["inside", "out/a", "in", "out/none"]) {
    refused(await call("GET", `/${own}/${key}`), "AccessDenied");
    refused(await call("PUT", `/${own}/${key}`, { body: "x" }), "AccessDenied");
    refused(await call("DELETE", `/${own}/${key}`), "AccessDenied");
  }
});

test("another bucket and one that does not exist have the same answers", async () => {
  const shown = ({ status, text }: Answer, name: string): readonly unknown[] => [
    status,
    text.replaceAll(name, "NAME").replaceAll(/<(RequestId|HostId)>[^<]*/g, ""),
  ];
  for (const [method, rest] of [
    ["GET", ""],
    ["HEAD", ""],
    ["GET", "/in/secret"],
    ["PUT", "/in/x"],
    ["GET", "?acl"],
  ] as const)
    assert.deepEqual(
      shown(await call(method, `/${other}${rest}`), other),
      shown(await call(method, `/no-such-bucket${rest}`), "no-such-bucket"),
      `${method} ${rest}`,
    );
  refused(await call("PUT", "/new-bucket"), "AccessDenied");
});

test("copies only from and to what it reaches, also parts", async () => {
  const copy = (source: string) => ({ headers: { "x-amz-copy-source": source } });
  succeeded(await call("PUT", `/${own}/in/copy`, copy(`/${own}/in/a`)));
  for (const source of [`/${own}/out/a`, `/${own}/inside`, `/${other}/in/secret`, "/no-such-bucket/x"])
    refused(await call("PUT", `/${own}/in/stolen`, copy(source)), "AccessDenied");
  refused(await call("PUT", `/${own}/out/copy`, copy(`/${own}/in/a`)), "AccessDenied");
  const { text } = succeeded(await call("POST", `/${own}/in/parts?uploads`));
  const [, uploadId = ""] = /<UploadId>([^<]*)/.exec(text) ?? [];
  const target = `/${own}/in/parts?partNumber=1&uploadId=${uploadId}`;
  refused(await call("PUT", target, copy(`/${own}/out/a`)), "AccessDenied");
  succeeded(await call("PUT", target, copy(`/${own}/in/a`)));
});

test("an upload of another key can't be completed, listed or aborted by the name of an allowed one", async () => {
  const uploadId = await begin(gateway, `/${own}/out/upload`);
  const etag = await part(gateway, `/${own}/out/upload`, { uploadId, number: 1, body: "part" });
  const body = completion([[1, etag]]);
  refused(await call("POST", `/${own}/out/upload?uploadId=${uploadId}`, { body }), "AccessDenied");
  refused(await call("POST", `/${own}/in/upload?uploadId=${uploadId}`, { body }), "NoSuchUpload");
  refused(await call("GET", `/${own}/in/upload?uploadId=${uploadId}`), "NoSuchUpload");
  refused(await call("DELETE", `/${own}/in/upload?uploadId=${uploadId}`), "NoSuchUpload");
  succeeded(await gateway.call("DELETE", `/${own}/out/upload?uploadId=${uploadId}`), 204);
});

test("DeleteObjects deletes what it reaches, and refuses the rest, key by key", async () => {
  for (const key of ["in/gone", "out/stays"]) succeeded(await gateway.call("PUT", `/${own}/${key}`, { body: "x" }));
  const names = ["in/gone", "out/stays", "out/none"].map((key) => `<Object><Key>${key}</Key></Object>`).join("");
  const answer = succeeded(await call("POST", `/${own}?delete`, { body: `<Delete>${names}</Delete>` }));
  assert.deepEqual(
    [texts(answer, "Key"), texts(answer, "Code")],
    [
      ["in/gone", "out/stays", "out/none"],
      ["AccessDenied", "AccessDenied"],
    ],
  );
  succeeded(await gateway.call("HEAD", `/${own}/out/stays`));
  assert.equal((await gateway.call("HEAD", `/${own}/in/gone`)).status, 404);
});

test("a form can't leave the prefix by the name of its file", async () => {
  const post = async (key: string, filename: string): Promise<Answer> => {
    const fields = signedFields(gateway, own, {
      conditions: [["starts-with", "$key", ""]],
      more: { key },
      key: narrow,
    });
    const body = formBody(fields, Buffer.from("x"), filename);
    return gateway.call("POST", `/${own}`, { headers: { "content-type": FORM_TYPE }, body, sign: false });
  };
  succeeded(await post("in/${filename}", "name.txt"));
  refused(await post("${filename}", "out.txt"), "AccessDenied");
  refused(await post("out/${filename}", "in/x"), "AccessDenied");
});

test("a policy does not widen the limits", async () => {
  const Resource = [`arn:aws:s3:::${other}`, `arn:aws:s3:::${other}/*`];
  const policy = { Statement: { Effect: "Allow", Principal: { AWS: "*" }, Action: "s3:GetObject", Resource } };
  succeeded(await gateway.call("PUT", `/${other}?policy`, { body: JSON.stringify(policy) }), 204);
  refused(await call("GET", `/${other}/in/secret`), "AccessDenied");
});

test("a narrower limit and a new bucket of the same name take effect at the next request", async () => {
  const { identity } = gateway.ground;
  const { metadata } = gateway.ground.ground;
  succeeded(await gateway.call("PUT", "/short-lived"));
  const names = [{ name: "short-lived" }, { name: own, prefix: "in/" }];
  const { key: made, secret } = await identity.s3Keys.create(SYSTEM, {
    name: "k",
    projectId: null,
    resources: { buckets: names },
  });
  const key = { accessKeyId: made.accessKeyId, secret };
  succeeded(await call("PUT", "/short-lived/x", { body: "x" }, key));
  assert.deepEqual(made.scopes, ["s3:read", "s3:write", "s3:delete"], "without the scopes that can't be limited");
  succeeded(await gateway.call("DELETE", "/short-lived/x"));
  succeeded(await gateway.call("DELETE", "/short-lived"));
  succeeded(await gateway.call("PUT", "/short-lived"));
  refused(await call("GET", "/short-lived", {}, key), "AccessDenied");
  succeeded(await call("GET", `/${own}/in/a`, {}, key));
  await identity.s3Keys.update(SYSTEM, made.id, { resources: { buckets: [{ name: own, prefix: "in/b" }] } });
  refused(await call("GET", `/${own}/in/a`, {}, key), "AccessDenied");
  const rows = await metadata.read.selectFrom("audit").select("detail").where("target_id", "=", made.id).execute();
  assert.match(rows.map(({ detail }) => detail).join(), /"resources":\{"before":\{"buckets":\[\["app_/);
});

test("a URL that the server signed for a credential has the credential's limits now", async () => {
  const { identity, deps } = gateway.ground;
  const { metadata } = gateway.ground.ground;
  const scopes: readonly Scope[] = ["s3:read"];
  const made = await identity.credentials.create(SYSTEM, {
    name: "app",
    projectId: null,
    scopes,
    resources: { buckets: [{ name: own, prefix: "in/" }] },
  });
  const app = await metadata.read.selectFrom("app").select("id").where("slug", "=", own).executeTakeFirstOrThrow();
  const grant = { orgId: ORG_ID, principalId: made.credential.id, bucketId: app.id };
  const link = async (key: string): Promise<string> =>
    presignedTarget(
      { host: gateway.host, region: REGION },
      {
        method: "GET",
        bucket: own,
        key,
        query: [],
        ...(await newKeyOfGrant(deps.envelope, grant)),
        atMs: gateway.nowMs(),
        lifetimeS: 60,
      },
    );
  const open = async (key: string): Promise<Answer> => gateway.call("GET", await link(key), { sign: false });
  succeeded(await open("in/a"));
  refused(await open("out/a"), "AccessDenied");
  await identity.credentials.update(SYSTEM, made.credential.id, {
    resources: { buckets: [{ name: own, prefix: "in/b" }] },
  });
  refused(await open("in/a"), "AccessDenied");
  const columns = { id: app.id, slug: own, org_id: ORG_ID, project_id: "proj_1", project_slug: "p" };
  const row = { ...columns, visibility: "organization", project_state: "active" } as const;
  const limits = {
    repositories: new Set<string>(),
    buckets: new Map(),
    webhooks: new Set<string>(),
    services: new Set<string>(),
  };
  const names = {
    id: "cred_1",
    clientId: "mrc_1",
    orgId: ORG_ID,
    orgSlug: "a",
    organization: { state: "active", reason: null },
    projectId: null,
  } as const;
  const principal = { kind: "credential", ...names, scopes: new Set(SCOPES), limits } as const;
  assert.equal(principalOn(principal, row).scopes.size, 0, "without any bucket, it has no scope there");
});

test("an S3 key can't be limited to anything else, or to buckets that its maker can't see", async () => {
  const { identity } = gateway.ground;
  const cases = [
    [{ buckets: [{ name: "no-such-bucket" }] }, "/resources/buckets/0/name"],
    [{ services: ["shop"] }, "/resources/services"],
    [{ buckets: [] }, "/resources"],
  ] as const;
  for (const [resources, pointer] of cases)
    await assert.rejects(identity.s3Keys.create(SYSTEM, { name: "k", projectId: null, resources }), (error) => {
      const { errors } = (error as { options: { errors: { pointer: string }[] } }).options;
      assert.equal(errors[0]?.pointer, pointer);
      return true;
    });
});

test("a rotated key keeps its limits, under the new and the former access key ID", async () => {
  const { identity } = gateway.ground;
  const resources = { buckets: [{ name: own, prefix: "in/" }] };
  const made = await identity.s3Keys.create(SYSTEM, { name: "rotated", projectId: null, resources });
  const rotated = await identity.s3Keys.rotate(SYSTEM, made.key.id, { overlapS: 3600 });
  assert.deepEqual(rotated.key.resources, made.key.resources);
  for (const { key, secret } of [made, rotated]) {
    const signer = { accessKeyId: key.accessKeyId, secret };
    succeeded(await call("GET", `/${own}/in/a`, {}, signer));
    refused(await call("GET", `/${own}/out/a`, {}, signer), "AccessDenied");
  }
  await identity.s3Keys.update(SYSTEM, made.key.id, { resources: { buckets: [{ name: own, prefix: "in/b" }] } });
  for (const { key, secret } of [made, rotated])
    refused(await call("GET", `/${own}/in/a`, {}, { accessKeyId: key.accessKeyId, secret }), "AccessDenied");
});
