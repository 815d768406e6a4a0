/** The interface of an S3 client for the matrix, and helpers that the clients share. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The place of a client's work: an endpoint, a bucket that it creates itself, and a new empty directory. */
export interface Place {
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The authority that signed the endpoint's certificate; null without TLS. */
  readonly caFile: string | null;
  readonly bucket: string;
  readonly directory: string;
}

export interface Step {
  /** The name in the documentation. */
  readonly name: string;
  readonly run: (place: Place) => Promise<void>;
}

export interface Client {
  readonly name: string;
  /** Null if it is not installed. */
  readonly version: () => Promise<string | null>;
  /** Each step builds on the steps before it. */
  readonly steps: readonly Step[];
}

const COMMAND_DEADLINE_MS = 300_000;

/** Runs a command without this process's environment. Returns its output. @throws Error with the output when it fails */
export function run(
  command: string,
  args: readonly string[],
  options: { environment?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C.UTF-8", ...options.environment };
  const limits = { timeout: COMMAND_DEADLINE_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { ...limits, env, cwd: options.cwd }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(" ")}\n${error.message}\n${stdout}\n${stderr}`, { cause: error }));
    });
  });
}

/** Returns the first match of `pattern` in the command's output, or null if the command is missing. */
export async function versionOf(command: string, args: readonly string[], pattern: RegExp): Promise<string | null> {
  try {
    return pattern.exec(await run(command, args, { environment: { HOME: "/nonexistent" } }))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Returns the credentials in the variables of the AWS tools. */
export function awsEnvironment(place: Place): Record<string, string> {
  return {
    HOME: place.directory,
    AWS_ACCESS_KEY_ID: place.accessKeyId,
    AWS_SECRET_ACCESS_KEY: place.secretAccessKey,
    AWS_DEFAULT_REGION: place.region,
    AWS_REGION: place.region,
    AWS_EC2_METADATA_DISABLED: "true",
    ...(place.caFile === null ? {} : { AWS_CA_BUNDLE: place.caFile }),
  };
}

const MIB = 1024 * 1024;
/** Large enough for several parts in every client. */
export const LARGE_BYTES = 17 * MIB + 1;

/** Returns bytes that are the same in every run, and do not repeat. */
export function contentOf(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size);
  let state = seed >>> 0 || 1;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Writes a file under the place's directory, and returns its path. */
export function fileWith(place: Place, name: string, content: string | Uint8Array): string {
  const path = join(place.directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const FILE_TIME = new Date("2026-01-02T03:04:05Z");

/** Makes realistic files: nested, empty, with spaces, signs and other alphabets in their names. */
export function treeIn(place: Place, name: string): string {
  const files: Record<string, string | Uint8Array> = {
    "readme.txt": "hello\n",
    "empty.bin": "",
    "a/b/c/deep.txt": "deep\n",
    "a/b.txt": "beside\n",
    "with space/and+plus & more.txt": "signs\n",
    "ünïcödé/文件-😀.txt": "letters\n",
    "numbers/large.bin": contentOf(LARGE_BYTES, 7),
  };
  for (let n = 0; n < 20; n++) files[`numbers/${n}.txt`] = `${n}\n`.repeat(n);
  for (const [path, content] of Object.entries(files)) {
    // Clients compare file times with upload times, so a file of the current second would count as newer.
    utimesSync(fileWith(place, join(name, path), content), FILE_TIME, FILE_TIME);
  }
  return join(place.directory, name);
}

/** Asserts that two directories have the same files. */
export function assertSameTree(actual: string, expected: string): void {
  assert.deepEqual(digests(actual), digests(expected));
}

function digests(directory: string): Record<string, string> {
  const files = globSync("**/*", { cwd: directory, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [relative(directory, path), sha256(readFileSync(path))]));
}

export function assertSameFile(actual: string, expected: Uint8Array | string): void {
  assert.equal(sha256(readFileSync(actual)), sha256(Buffer.from(expected)), `${actual} is another`);
}
