/** `mooring s3 keys`: its keys work at the gateway, within their limits, until they are revoked. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { useSharedServer } from "../fixtures/server.ts";

interface Key {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly effective_scopes: readonly string[];
  readonly buckets: readonly string[] | null;
}

const shared = useSharedServer();
let directory = "";

before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-cli-s3-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function run(...words: string[]): Promise<Outcome> {
  const credentials = join(directory, "credentials.json");
  writeFileSync(credentials, JSON.stringify(shared.home), { mode: 0o600 });
  return mooring(["s3", ...words, "--credentials", credentials], { cwd: directory });
}

async function done(...words: string[]): Promise<string> {
  const outcome = await run(...words);
  assert.equal(outcome.code, 0, outcome.stderr);
  return outcome.stdout;
}

function clientOf(key: Pick<Key, "access_key_id" | "secret_access_key">): S3Client {
  const credentials = { accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key };
  const { s3_endpoint: endpoint } = shared.home.addresses as unknown as { s3_endpoint: string };
  return new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials, maxAttempts: 1 });
}

test("a key is created with its limits, listed without its secret, and refused once it is revoked", async () => {
  const Bucket = shared.home.app.slug;
  const whole = JSON.parse(await done("keys", "create", "--name", "whole", "--json")) as Key;
  const limited = JSON.parse(
    await done("keys", "create", "--name", "limited", "--bucket", Bucket, "--prefix", "in/", "--read-only", "--json"),
  ) as Key;
  assert.deepEqual([limited.effective_scopes, limited.buckets], [["s3:read"], [Bucket]]);

  const [writer, reader] = [clientOf(whole), clientOf(limited)];
  for (const Key of ["in/a", "out/b"]) await writer.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
  const { Body } = await reader.send(new GetObjectCommand({ Bucket, Key: "in/a" }));
  assert.equal(await Body?.transformToString(), "in/a");
  const denied = { name: "AccessDenied" };
  await assert.rejects(reader.send(new GetObjectCommand({ Bucket, Key: "out/b" })), denied);
  await assert.rejects(reader.send(new PutObjectCommand({ Bucket, Key: "in/c", Body: "x" })), denied);
  await assert.rejects(reader.send(new ListObjectsV2Command({ Bucket })), denied);
  const { Contents } = await reader.send(new ListObjectsV2Command({ Bucket, Prefix: "in/" }));
  assert.deepEqual(
    Contents?.map(({ Key }) => Key),
    ["in/a"],
  );

  const listed = await done("keys", "list");
  assert.ok(listed.includes(limited.access_key_id) && !listed.includes(limited.secret_access_key), listed);
  assert.match(await done("keys", "revoke", limited.access_key_id), /^revoked at /);
  await assert.rejects(reader.send(new GetObjectCommand({ Bucket, Key: "in/a" })), { name: "InvalidAccessKeyId" });
  assert.ok(!(await done("keys", "list")).includes(limited.access_key_id));
});

test("impossible requests have an error message", async () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [["keys", "create"], /--name/],
    [["buckets"], /name a subcommand/],
    [["keys", "revoke"], /name the key/],
    [["keys", "revoke", "MOORAAAAAAAAAAAAAAAA"], /This resource does not exist/],
    [["keys", "create", "--name", "x", "--scope", "org:write"], /org:write: there is no such scope/],
  ];
  for (const [words, message] of cases) {
    const outcome = await run(...words);
    assert.notEqual(outcome.code, 0, words.join(" "));
    assert.match(outcome.stderr, message);
  }
});
