/**
 * The conformance suite of the OCI Distribution Specification, for its released and its next version. The suite is not
 * part of this repository: MOORING_TEST_OCI_CONFORMANCE names its program. Without it the test reports that nothing was
 * tested.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { newClient, newRepository } from "../fixtures/registry.ts";
import { useServer } from "../fixtures/server.ts";

const suite = process.env["MOORING_TEST_OCI_CONFORMANCE"];
const skip = suite === undefined && "MOORING_TEST_OCI_CONFORMANCE names no program: conformance was NOT tested";
const shared = useServer({ settings: { rate_limit_per_second: 100_000, rate_limit_burst: 100_000 } });
const directory = mkdtempSync(join(tmpdir(), "mooring-oci-conformance-"));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The least number of tests of each version: a suite that runs none must not pass. */
const TESTS_MIN = { stable: 860, dev: 980 } as const;

for (const version of ["stable", "dev"] as const)
  test(`the suite passes: ${version}`, { skip }, async (t) => {
    const report = await runSuite(version);
    const [, tests = "0", rest = ""] = /<testsuites[^>]* tests="(\d+)"([^>]*)>/.exec(report) ?? [];
    t.diagnostic(`${version}: ${tests} tests,${rest}`);
    const failed = [...report.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<(?:failure|error)/g)].map(([, name]) => name);
    assert.deepEqual(failed, []);
    assert.ok(Number(tests) >= TESTS_MIN[version], `only ${tests} tests`);
  });

/** Runs the suite. @returns the report, in the form of JUnit */
async function runSuite(version: string): Promise<string> {
  const { server, token, home } = shared;
  const place = { org: home.org.slug, project: home.project.slug };
  const [repo1, repo2] = await Promise.all(
    [`${version}-1`, `${version}-2`].map((slug) => newRepository(server, token, { ...place, slug })),
  );
  const client = await newClient(server, token, ["registry:pull", "registry:push", "registry:delete"]);
  const results = join(directory, version);
  const environment = {
    PATH: process.env["PATH"],
    OCI_VERSION: version,
    OCI_RESULTS_DIR: results,
    OCI_REGISTRY: new URL(server.origin).host,
    OCI_TLS: "disabled",
    OCI_REPO1: repo1,
    OCI_REPO2: repo2,
    OCI_USERNAME: client.client_id,
    OCI_PASSWORD: client.client_secret,
  };
  const child = spawn(suite ?? "", [], { cwd: directory, env: environment, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  const report = readFileSync(join(results, "junit.xml"), "utf8");
  assert.equal(code, 0, report.slice(0, 2_000));
  return report;
}
