/** Runs Ceph's s3-tests from a checkout, and says which tests passed. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { S3Endpoint } from "../fixtures/s3.ts";

/** The functional tests of S3 itself; the others are of IAM, STS, SNS and S3 Select. */
const FILES = ["test_s3.py", "test_headers.py"];
const SUITE_DEADLINE_MS = 1_500_000;

export interface SuiteUser {
  readonly endpoint: S3Endpoint;
  /** The canonical user, as lists and grants show it. */
  readonly id: string;
  readonly displayName: string;
}

/** `main` and `alt` own different buckets and can be granted access to each other's; `tenant` is of another organization. */
export interface SuiteUsers {
  readonly main: SuiteUser;
  readonly alt: SuiteUser;
  readonly tenant: SuiteUser;
}

export interface SuiteOptions {
  /** The checkout. */
  readonly suite: string;
  /** An interpreter that has what the suite's requirements.txt names. */
  readonly python: string;
  readonly users: SuiteUsers;
  /** For files of this run. */
  readonly directory: string;
}

/** Every test by its name, `test_s3.py::test_name`, with its outcome. */
export type SuiteOutcomes = ReadonlyMap<string, "passed" | "failed" | "skipped">;

/** Runs the tests, half of them at a time in each of two processes: each makes buckets under a prefix of its own. */
export async function runSuite(options: SuiteOptions, tests: readonly string[]): Promise<SuiteOutcomes> {
  const half = Math.ceil(tests.length / 2);
  const parts = [tests.slice(0, half), tests.slice(half)];
  const outcomes = await Promise.all(
    parts.map((part, n) => runPart(options, part, join(options.directory, String(n)))),
  );
  return new Map(outcomes.flatMap((part) => [...part]));
}

/** The names of all functional tests. */
export async function namesOf(options: SuiteOptions): Promise<string[]> {
  const printed = await pytest(options, ["--collect-only", "-q", ...FILES.map(pathOf)], join(options.directory, "all"));
  return [...printed.matchAll(/^s3tests\/functional\/(\S+::\S+)$/gm)].map(([, name]) => name ?? "");
}

async function runPart(options: SuiteOptions, tests: readonly string[], base: string): Promise<SuiteOutcomes> {
  writeFileSync(`${base}.txt`, tests.map((test) => `${pathOf(test)}\n`).join(""));
  await pytest(options, ["-q", `--junitxml=${base}.xml`, `@${base}.txt`], base);
  return outcomesIn(readFileSync(`${base}.xml`, "utf8"));
}

function pathOf(test: string): string {
  return `s3tests/functional/${test}`;
}

/** What pytest printed. That tests fail is no error of the run. */
function pytest({ suite, python, users }: SuiteOptions, words: readonly string[], base: string): Promise<string> {
  writeFileSync(`${base}.conf`, configurationOf(users));
  const env = { PATH: process.env["PATH"], HOME: suite, S3TEST_CONF: `${base}.conf`, PYTHONDONTWRITEBYTECODE: "1" };
  const limits = { timeout: SUITE_DEADLINE_MS, maxBuffer: 256 * 1024 * 1024 };
  const args = ["-m", "pytest", "-p", "no:cacheprovider", ...words];
  return new Promise((resolve, reject) => {
    execFile(python, args, { cwd: suite, env, ...limits }, (error, stdout, stderr) => {
      if (error === null || error.code === 1) resolve(stdout);
      else
        reject(new Error(`cannot run s3-tests: ${error.message}\n${stdout.slice(-2000)}\n${stderr}`, { cause: error }));
    });
  });
}

function outcomesIn(xml: string): SuiteOutcomes {
  const cases = xml.matchAll(
    /<testcase classname="s3tests\.functional\.(\w+)" name="([^"]+)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs,
  );
  const outcomes = new Map<string, "passed" | "failed" | "skipped">();
  for (const [, file, name, inside = ""] of cases) {
    const outcome = /<(failure|error)\b/.test(inside) ? "failed" : inside.includes("<skipped") ? "skipped" : "passed";
    const key = `${file}.py::${name}`;
    // A test whose teardown fails is there twice.
    if (outcomes.get(key) !== "failed") outcomes.set(key, outcome);
  }
  return outcomes;
}

function configurationOf({ main, alt, tenant }: SuiteUsers): string {
  const { hostname, port } = new URL(main.endpoint.url);
  return [
    "[DEFAULT]",
    `host = ${hostname}`,
    `port = ${port}`,
    "is_secure = False",
    "[fixtures]",
    "bucket prefix = conformance-{random}-",
    ...sectionOf("s3 main", main, [`api_name = ${main.endpoint.region}`]),
    ...sectionOf("s3 alt", alt),
    ...sectionOf("s3 tenant", tenant, ["tenant = other"]),
    // The suite wants these sections, whatever is run.
    ...["iam", "iam root", "iam alt root"].flatMap((name) => sectionOf(name, main)),
    "",
  ].join("\n");
}

function sectionOf(name: string, { id, displayName, endpoint }: SuiteUser, more: readonly string[] = []): string[] {
  return [
    `[${name}]`,
    `display_name = ${displayName}`,
    `user_id = ${id}`,
    `email = ${displayName}@example.com`,
    `access_key = ${endpoint.accessKeyId}`,
    `secret_key = ${endpoint.secretAccessKey}`,
    ...more,
  ];
}
