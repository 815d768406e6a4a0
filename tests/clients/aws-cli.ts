/** The AWS command line, in both common versions. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { asked } from "./aws-sdk-js.ts";
import { PYTHON } from "./python.ts";
import {
  LARGE_BYTES,
  assertSameFile,
  assertSameTree,
  awsEnvironment,
  contentOf,
  fileWith,
  run,
  treeIn,
  versionOf,
  type Client,
  type Place,
  type Step,
} from "./client.ts";

/** A command with the arguments before the client's own. */
type Command = readonly [string, ...string[]];

function awsCli(name: string, [command, ...before]: Command, versions: RegExp): Client {
  const aws = (place: Place, ...words: string[]): Promise<string> =>
    run(command, [...before, "--endpoint-url", place.url, ...words], {
      environment: awsEnvironment(place),
      cwd: place.directory,
    });
  return { name, version: () => versionOf(command, [...before, "--version"], versions), steps: stepsWith(aws) };
}

type Aws = (place: Place, ...words: string[]) => Promise<string>;

function stepsWith(aws: Aws): Step[] {
  return [
    { name: "make a bucket", run: async (place) => void (await aws(place, "s3", "mb", `s3://${place.bucket}`)) },
    { name: "copy a file up, down, to another key, and list it", run: (place) => copies(aws, place) },
    { name: "copy a large file up and down in parts", run: (place) => large(aws, place) },
    {
      name: "sync a directory up and down, again with nothing to do, and with --delete",
      run: (place) => syncs(aws, place),
    },
    { name: "s3api: put, head, attributes, tags", run: (place) => api(aws, place) },
    { name: "presign", run: (place) => presigns(aws, place) },
    {
      name: "remove everything and the bucket",
      run: async (place) => void (await aws(place, "s3", "rb", "--force", `s3://${place.bucket}`)),
    },
  ];
}

async function copies(aws: Aws, place: Place): Promise<void> {
  const file = fileWith(place, "hello.txt", "hello\n");
  const bucket = `s3://${place.bucket}`;
  await aws(place, "s3", "cp", file, `${bucket}/a/hello ü.txt`);
  await aws(place, "s3", "cp", `${bucket}/a/hello ü.txt`, `${bucket}/b/hello.txt`);
  await aws(place, "s3", "mv", `${bucket}/b/hello.txt`, `${bucket}/b/moved.txt`);
  await aws(place, "s3", "cp", `${bucket}/b/moved.txt`, "again.txt");
  assertSameFile(join(place.directory, "again.txt"), "hello\n");
  assert.match(await aws(place, "s3", "ls", "--recursive", `${bucket}/`), / 6 a\/hello ü\.txt\n.* 6 b\/moved\.txt\n/);
  assert.match(await aws(place, "s3", "ls", `${bucket}/`), /PRE a\/\n *PRE b\/\n/);
}

async function large(aws: Aws, place: Place): Promise<void> {
  const content = contentOf(LARGE_BYTES);
  const file = fileWith(place, "large.bin", content);
  await aws(place, "s3", "cp", file, `s3://${place.bucket}/large.bin`);
  await aws(place, "s3", "cp", `s3://${place.bucket}/large.bin`, `s3://${place.bucket}/large-copy.bin`);
  await aws(place, "s3", "cp", `s3://${place.bucket}/large-copy.bin`, "large-again.bin");
  assertSameFile(join(place.directory, "large-again.bin"), content);
}

async function syncs(aws: Aws, place: Place): Promise<void> {
  const tree = treeIn(place, "tree");
  const there = `s3://${place.bucket}/tree`;
  await aws(place, "s3", "sync", tree, there);
  assert.equal(await aws(place, "s3", "sync", tree, there), "");
  await aws(place, "s3", "sync", there, "tree-again");
  assertSameTree(join(place.directory, "tree-again"), tree);
  await aws(place, "s3", "rm", `${there}/readme.txt`);
  assert.match(await aws(place, "s3", "sync", "--delete", there, "tree-again"), /^delete: .*readme\.txt$/m);
}

async function api(aws: Aws, place: Place): Promise<void> {
  const at = ["--bucket", place.bucket, "--key", "api.txt"];
  const body = fileWith(place, "api.txt", "by the API");
  await aws(place, "s3api", "put-object", ...at, "--body", body, "--metadata", "who=me", "--tagging", "kind=first");
  const head = JSON.parse(await aws(place, "s3api", "head-object", ...at)) as {
    ContentLength: number;
    Metadata: unknown;
  };
  assert.deepEqual([head.ContentLength, head.Metadata], [10, { who: "me" }]);
  const tags = JSON.parse(await aws(place, "s3api", "get-object-tagging", ...at)) as { TagSet: unknown };
  assert.deepEqual(tags.TagSet, [{ Key: "kind", Value: "first" }]);
  const asks = ["--object-attributes", "ObjectSize", "ETag"];
  const attributes = JSON.parse(await aws(place, "s3api", "get-object-attributes", ...at, ...asks)) as {
    ObjectSize: number;
  };
  assert.equal(attributes.ObjectSize, 10);
}

async function presigns(aws: Aws, place: Place): Promise<void> {
  const url = (await aws(place, "s3", "presign", `s3://${place.bucket}/api.txt`)).trim();
  assert.deepEqual(await asked(place, "GET", url), { status: 200, text: "by the API" });
}

export const awsCli1 = awsCli("AWS CLI 1", [PYTHON, "-m", "awscli"], /^aws-cli\/(1\S+)/m);
/** Debian's version, even if another one comes first on the path. */
export const awsCli2 = awsCli("AWS CLI 2", ["/usr/bin/aws"], /^aws-cli\/(2\S+)/m);
