import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { assertSameTree, fileWith, run, treeIn, versionOf, type Client, type Place } from "./client.ts";

/** Small parts, so that the large file has several. */
const PARTS = ["--s3-upload-cutoff", "5M", "--s3-chunk-size", "5M", "--retries", "1", "--low-level-retries", "1"];

function rclone(place: Place, ...words: string[]): Promise<string> {
  const environment = {
    HOME: place.directory,
    RCLONE_CONFIG: join(place.directory, "none.conf"),
    RCLONE_CONFIG_S3_TYPE: "s3",
    RCLONE_CONFIG_S3_PROVIDER: "Other",
    RCLONE_CONFIG_S3_ENDPOINT: place.url,
    RCLONE_CONFIG_S3_REGION: place.region,
    RCLONE_CONFIG_S3_ACCESS_KEY_ID: place.accessKeyId,
    RCLONE_CONFIG_S3_SECRET_ACCESS_KEY: place.secretAccessKey,
    ...(place.caFile === null ? {} : { RCLONE_CA_CERT: place.caFile }),
  };
  return run("rclone", [...PARTS, ...words], { environment, cwd: place.directory });
}

async function syncUp(place: Place): Promise<void> {
  const tree = treeIn(place, "tree");
  await rclone(place, "sync", tree, `s3:${place.bucket}/tree`);
  await rclone(place, "check", tree, `s3:${place.bucket}/tree`);
  await rclone(place, "check", "--download", tree, `s3:${place.bucket}/tree`);
}

async function syncDown(place: Place): Promise<void> {
  const tree = join(place.directory, "tree");
  await rclone(place, "sync", `s3:${place.bucket}/tree`, "again");
  assertSameTree(join(place.directory, "again"), tree);
}

/** Changed files are copied, deleted ones are deleted there, and the others stay. */
async function syncChanges(place: Place): Promise<void> {
  const tree = join(place.directory, "tree");
  fileWith(place, "tree/readme.txt", "changed\n");
  fileWith(place, "tree/new.txt", "new\n");
  rmSync(join(tree, "a"), { recursive: true });
  await rclone(place, "sync", tree, `s3:${place.bucket}/tree`);
  await rclone(place, "check", tree, `s3:${place.bucket}/tree`);
  await rclone(place, "sync", `s3:${place.bucket}/tree`, "again");
  assertSameTree(join(place.directory, "again"), tree);
}

async function listing(place: Place): Promise<void> {
  const files = JSON.parse(await rclone(place, "lsjson", "-R", "--hash", `s3:${place.bucket}/tree`)) as {
    Path: string;
    IsDir: boolean;
  }[];
  assert.ok(files.some(({ Path, IsDir }) => Path === "ünïcödé/文件-😀.txt" && !IsDir));
  assert.equal((await rclone(place, "cat", `s3:${place.bucket}/tree/new.txt`)).toString(), "new\n");
}

async function moving(place: Place): Promise<void> {
  await rclone(place, "copy", `s3:${place.bucket}/tree`, `s3:${place.bucket}/copied`);
  await rclone(place, "check", `s3:${place.bucket}/tree`, `s3:${place.bucket}/copied`);
  await rclone(place, "moveto", `s3:${place.bucket}/copied/new.txt`, `s3:${place.bucket}/moved.txt`);
  assert.equal(await rclone(place, "lsf", `s3:${place.bucket}/copied/new.txt`).catch(() => ""), "");
}

export const rcloneClient: Client = {
  name: "rclone",
  version: () => versionOf("rclone", ["version"], /^rclone v(\S+)/m),
  steps: [
    { name: "make a bucket", run: async (place) => void (await rclone(place, "mkdir", `s3:${place.bucket}`)) },
    { name: "sync a directory up, check by hash and by content", run: syncUp },
    { name: "sync it down", run: syncDown },
    { name: "sync changes and deletions both ways", run: syncChanges },
    { name: "list, and read one file", run: listing },
    { name: "copy and move on the server", run: moving },
    { name: "purge the bucket", run: async (place) => void (await rclone(place, "purge", `s3:${place.bucket}`)) },
  ],
};
