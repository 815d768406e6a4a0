import assert from "node:assert/strict";
import { join } from "node:path";
import {
  LARGE_BYTES,
  assertSameFile,
  assertSameTree,
  contentOf,
  fileWith,
  run,
  treeIn,
  versionOf,
  type Client,
  type Place,
} from "./client.ts";

function s3cmd(place: Place, ...words: string[]): Promise<string> {
  const { host, protocol } = new URL(place.url);
  const configuration = [
    "[default]",
    `access_key = ${place.accessKeyId}`,
    `secret_key = ${place.secretAccessKey}`,
    `bucket_location = ${place.region}`,
    `host_base = ${host}`,
    `host_bucket = ${host}`,
    `use_https = ${protocol === "https:" ? "True" : "False"}`,
    ...(place.caFile === null ? [] : [`ca_certs_file = ${place.caFile}`]),
    "multipart_chunk_size_mb = 5",
    "max_retries = 1",
  ];
  const file = fileWith(place, "s3cfg", configuration.join("\n"));
  const environment = { HOME: place.directory, PYTHONIOENCODING: "utf-8" };
  return run("s3cmd", ["--config", file, "--no-progress", ...words], { environment, cwd: place.directory });
}

async function putGet(place: Place): Promise<void> {
  const file = fileWith(place, "hello.txt", "hello\n");
  const there = `s3://${place.bucket}/a/hello ü.txt`;
  await s3cmd(place, "put", "--add-header=x-amz-meta-who:me", file, there);
  await s3cmd(place, "get", there, "again.txt");
  assertSameFile(join(place.directory, "again.txt"), "hello\n");
  assert.match(await s3cmd(place, "info", there), /MD5 sum:\s+b1946ac92492d2347c6235b4d2611184/);
  assert.match(await s3cmd(place, "ls", `s3://${place.bucket}/`), /DIR\s+s3:\/\/\S+\/a\/$/m);
  assert.match(await s3cmd(place, "ls", "--recursive", `s3://${place.bucket}/`), /a\/hello ü\.txt$/m);
}

async function large(place: Place): Promise<void> {
  const content = contentOf(LARGE_BYTES);
  const file = fileWith(place, "large.bin", content);
  await s3cmd(place, "put", file, `s3://${place.bucket}/large.bin`);
  await s3cmd(place, "get", `s3://${place.bucket}/large.bin`, "large-again.bin");
  assertSameFile(join(place.directory, "large-again.bin"), content);
}

async function syncs(place: Place): Promise<void> {
  const tree = treeIn(place, "tree");
  await s3cmd(place, "sync", `${tree}/`, `s3://${place.bucket}/tree/`);
  assert.doesNotMatch(await s3cmd(place, "sync", `${tree}/`, `s3://${place.bucket}/tree/`), /upload:/);
  await s3cmd(place, "sync", `s3://${place.bucket}/tree/`, join(place.directory, "tree-again/"));
  assertSameTree(join(place.directory, "tree-again"), tree);
}

async function moves(place: Place): Promise<void> {
  const at = (key: string): string => `s3://${place.bucket}/${key}`;
  await s3cmd(place, "cp", at("a/hello ü.txt"), at("b/copy.txt"));
  await s3cmd(place, "mv", at("b/copy.txt"), at("b/moved.txt"));
  await s3cmd(place, "modify", "--add-header=x-amz-meta-new:1", at("b/moved.txt"));
  assert.match(await s3cmd(place, "info", at("b/moved.txt")), /x-amz-meta-new: 1/);
  assert.match(await s3cmd(place, "du", at("b/")), /^\s*6\s+1 objects/);
}

async function remove(place: Place): Promise<void> {
  await s3cmd(place, "del", "--recursive", "--force", `s3://${place.bucket}/`);
  await s3cmd(place, "rb", `s3://${place.bucket}`);
  assert.doesNotMatch(await s3cmd(place, "ls"), new RegExp(`s3://${place.bucket}$`, "m"));
}

export const s3cmdClient: Client = {
  name: "s3cmd",
  version: () => versionOf("s3cmd", ["--config=/dev/null", "--version"], /version (\S+)/),
  steps: [
    { name: "make a bucket", run: async (place) => void (await s3cmd(place, "mb", `s3://${place.bucket}`)) },
    { name: "put, get, info and ls", run: putGet },
    { name: "put and get a large file in parts", run: large },
    { name: "sync a directory up and down, again with nothing to do", run: syncs },
    { name: "copy, move, modify, du", run: moves },
    { name: "delete everything and the bucket", run: remove },
  ],
};
