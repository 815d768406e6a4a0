/**
 * Ceph's s3-tests against the gateway. The suite is no part of this repository: MOORING_S3_TESTS names a checkout, and
 * MOORING_TEST_PYTHON an interpreter that has what its requirements.txt names. Without them this says that nothing was tested.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startServer } from "../fixtures/server.ts";
import { failures, passes } from "./lists.ts";
import { runSuite, type SuiteOptions } from "./suite.ts";
import { suiteUsers } from "./users.ts";

const suite = process.env["MOORING_S3_TESTS"];
const python = process.env["MOORING_TEST_PYTHON"] ?? "python3";
const SETTINGS = { s3_public_organization: "acme", s3_signature_v2: "all", rate_limit_per_second: 100_000, rate_limit_burst: 100_000 };

const skip = suite === undefined && "MOORING_S3_TESTS names no checkout of s3-tests: conformance was NOT tested";

test("what passed goes on passing", { skip, timeout: 1_800_000 }, async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-s3-conformance-"));
  const server = await startServer({ settings: SETTINGS });
  try {
    const options: SuiteOptions = { suite: suite ?? "", python, directory, users: await suiteUsers(server) };
    const outcomes = await runSuite(options, [...passes(), ...failures().keys()].toSorted());
    const broken = passes().filter((name) => outcomes.get(name) !== "passed");
    assert.deepEqual(broken, [], `${broken.length} tests of passes.txt did not pass`);
    const better = [...outcomes].filter(([name, outcome]) => outcome === "passed" && failures().has(name));
    for (const [name] of better) context.diagnostic(`passes now, and belongs into passes.txt: ${name}`);
    context.diagnostic(`${passes().length} tests passed`);
  } finally {
    await server.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
});
