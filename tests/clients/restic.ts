import assert from "node:assert/strict";
import { join } from "node:path";
import { assertSameTree, awsEnvironment, fileWith, run, treeIn, versionOf, type Client, type Place } from "./client.ts";

function restic(place: Place, ...words: string[]): Promise<string> {
  const environment = {
    ...awsEnvironment(place),
    RESTIC_REPOSITORY: `s3:${place.url}/${place.bucket}/repository`,
    RESTIC_PASSWORD: "a password",
  };
  const ca = place.caFile === null ? [] : ["--cacert", place.caFile];
  return run("restic", [...ca, "--no-cache", ...words], { environment, cwd: place.directory });
}

async function backups(place: Place): Promise<void> {
  treeIn(place, "tree");
  await restic(place, "backup", "tree");
  fileWith(place, "tree/new.txt", "new\n");
  await restic(place, "backup", "tree");
  const snapshots = JSON.parse(await restic(place, "snapshots", "--json")) as unknown[];
  assert.equal(snapshots.length, 2);
}

async function restores(place: Place): Promise<void> {
  await restic(place, "restore", "latest", "--target", "restored");
  assertSameTree(join(place.directory, "restored/tree"), join(place.directory, "tree"));
}

export const resticClient: Client = {
  name: "restic",
  version: () => versionOf("restic", ["version"], /^restic (\S+)/m),
  steps: [
    { name: "create a repository, and its bucket", run: async (place) => void (await restic(place, "init")) },
    { name: "back up, and then back up only the changes", run: backups },
    { name: "check, with all data read", run: async (place) => void (await restic(place, "check", "--read-data")) },
    { name: "restore", run: restores },
    {
      name: "forget and prune",
      run: async (place) => void (await restic(place, "forget", "--keep-last", "1", "--prune")),
    },
    {
      name: "check again, and restore",
      run: async (place) => {
        await restic(place, "check", "--read-data");
        await restores({ ...place });
      },
    },
  ],
};
