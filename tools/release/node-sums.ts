import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { packageNameOf, type Lock } from "../lock/lock.ts";

/**
 * A binary of Node that an npm package brings. `archive_sha256` is a line of the file SHASUMS256.txt that Node's release
 * team signs for each version. That file has a sum of the binary itself only for Windows; for the others,
 * `binary_sha256` is the sum of `bin/node` in that archive. docs/how-to/release.md says how to renew them.
 */
export interface NodeSum {
  readonly version: string;
  readonly archive: string;
  readonly archive_sha256: string;
  /** The binary's path in the npm package. */
  readonly binary: string;
  readonly binary_sha256: string;
}

export type NodeSums = Readonly<Record<string, NodeSum>>;

export function readNodeSums(): NodeSums {
  return JSON.parse(readFileSync(join(import.meta.dirname, "node-sums.json"), "utf8")) as NodeSums;
}

/** Returns the packages of Node whose locked version has no sum, and the sums without a package. */
export function nodeSumFaults(lock: Lock, names: Iterable<string>, sums: NodeSums = readNodeSums()): string[] {
  const wanted = [...names];
  const versions = new Map(
    Object.entries(lock.packages).map(([path, { version = "?" }]) => [packageNameOf(path), version]),
  );
  return [
    ...wanted
      .filter((name) => sums[name]?.version !== versions.get(name))
      .map((name) => `tools/release/node-sums.json has no sums of ${name}@${versions.get(name)}`),
    ...Object.entries(sums)
      .filter(([, sum]) => sum.archive.endsWith(".exe") && sum.archive_sha256 !== sum.binary_sha256)
      .map(([name]) => `the two sums of ${name} are of the same file, but differ`),
    ...Object.keys(sums)
      .filter((name) => !wanted.includes(name))
      .map((name) => `no package needs the sums of ${name}`),
  ];
}

/** Compares the binary of an unpacked package with its sum. Returns null if it is absent. @throws Error if it differs */
export async function checkNodeBinary(
  directory: string,
  name: string,
  sums: NodeSums = readNodeSums(),
): Promise<string | null> {
  const sum = sums[name];
  if (sum === undefined)
    throw new Error(`cannot check the Node binary of ${name}: tools/release/node-sums.json lacks it`);
  const path = join(directory, sum.binary);
  if (!existsSync(path)) return null;
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  const found = hash.digest("hex");
  if (found === sum.binary_sha256) return found;
  throw new Error(
    `cannot release with ${name}@${sum.version}: its binary has the SHA-256 ${found}, and Node ${sum.version} has ${sum.binary_sha256}`,
  );
}
