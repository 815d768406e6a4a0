/** Runs Ceph's s3-tests from a checkout, and returns the outcomes. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { S3Endpoint } from "../fixtures/s3.ts";

const SUITE_DEADLINE_MS = 1_500_000;

export interface SuiteUser {
  readonly endpoint: S3Endpoint;
  /** The canonical user, as lists and grants show it. */
  readonly id: string;
  readonly displayName: string;
}

/** `main` and `alt` own different buckets and can grant each other access; `tenant` is of another organization. */
export interface SuiteUsers {
  readonly main: SuiteUser;
  readonly alt: SuiteUser;
  readonly tenant: SuiteUser;
}

export interface SuiteOptions {
  /** The checkout. */
  readonly suite: string;
  /** An interpreter with the packages of the suite's requirements.txt. */
  readonly python: string;
  readonly users: SuiteUsers;
  /** The beginning of this run's file paths. */
  readonly base: string;
}

/** Every test by its name, `test_s3.py::test_name`, with its outcome. */
export type SuiteOutcomes = ReadonlyMap<string, "passed" | "failed" | "skipped">;

export async function runSuite(options: SuiteOptions, tests: readonly string[]): Promise<SuiteOutcomes> {
  const { base } = options;
  writeFileSync(`${base}.txt`, tests.map((test) => `${pathOf(test)}\n`).join(""));
  await pytest(options, ["-q", `--junitxml=${base}.xml`, `@${base}.txt`]);
  return outcomesIn(readFileSync(`${base}.xml`, "utf8"));
}

/** Returns the names of the functional tests of S3 itself. The others are of IAM, STS, SNS and S3 Select. */
export async function suiteTests(options: SuiteOptions): Promise<string[]> {
  const printed = await pytest(options, ["--collect-only", "-q", pathOf("test_s3.py"), pathOf("test_headers.py")]);
  return [...printed.matchAll(/^s3tests\/functional\/(\S+::\S+)$/gm)].map(([, name]) => name ?? "");
}

function pathOf(test: string): string {
  return `s3tests/functional/${test}`;
}

/** Returns the output of pytest. Failing tests are not an error of the run. */
function pytest({ suite, python, users, base }: SuiteOptions, words: readonly string[]): Promise<string> {
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
    // A test whose teardown fails is listed twice.
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
    // The suite needs these sections in every run.
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
