/**
 * Ceph's s3-tests against the gateway. The suite is not part of this repository: MOORING_S3_TESTS names a checkout, and
 * MOORING_TEST_PYTHON an interpreter with the packages of its requirements.txt. Without them the test reports that
 * nothing was tested. With MOORING_UPDATE_PAGES=1 passing tests are added to passes.txt, from which none is ever
 * removed.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startServer } from "../fixtures/server.ts";
import { addPasses, failures, passes, unlisted } from "./lists.ts";
import { runSuite, suiteTests, type SuiteOutcomes } from "./suite.ts";
import { suiteUsers } from "./users.ts";

const suite = process.env["MOORING_S3_TESTS"];
const python = process.env["MOORING_TEST_PYTHON"] ?? "python3";
const SETTINGS = {
  s3_signature_v2: "all",
  // The suite waits for days of ten seconds, and expects that objects due after one day are gone after two. Ours expire
  // at midnight, up to a day later.
  s3_lifecycle_day_ms: 9000,
  s3_lifecycle_interval_ms: 1000,
  rate_limit_per_second: 100_000,
  rate_limit_burst: 100_000,
};
/**
 * These run at the same time, each against a separate server, because some tests read all buckets of a user. The last
 * part opens buckets of another organization to everybody, so its server's setting names that organization.
 */
const PUBLIC_ORGANIZATIONS = ["acme", "acme", "other"];

const skip = suite === undefined && "MOORING_S3_TESTS names no checkout of s3-tests: conformance was NOT tested";

test("tests that passed before still pass", { skip, timeout: 1_800_000 }, async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-s3-conformance-"));
  try {
    const parts = PUBLIC_ORGANIZATIONS.map((slug, n) => runPart(join(directory, String(n)), n, slug));
    const outcomes: SuiteOutcomes = new Map((await Promise.all(parts)).flatMap((part) => [...part]));
    const broken = passes().filter((name) => outcomes.get(name) !== "passed");
    const better = [...failures().keys()].filter((name) => outcomes.get(name) === "passed");
    const unknown = unlisted([...outcomes.keys()]);
    if (process.env["MOORING_UPDATE_PAGES"] === "1")
      addPasses([...outcomes].flatMap(([name, outcome]) => (outcome === "passed" ? [name] : [])));
    for (const name of better) context.diagnostic(`passes now, and belongs in passes.txt: ${name}`);
    for (const name of unknown) context.diagnostic(`is in no list: ${name}`);
    context.diagnostic(`${passes().length - broken.length} tests of passes.txt passed`);
    assert.deepEqual(broken, [], `${broken.length} tests of passes.txt did not pass`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

async function runPart(base: string, part: number, publicOrganization: string): Promise<SuiteOutcomes> {
  const server = await startServer({ settings: { ...SETTINGS, s3_public_organization: publicOrganization } });
  try {
    const options = { suite: suite ?? "", python, base, users: await suiteUsers(server) };
    const names = (await suiteTests(options)).filter((name) => !takesTooLong(name));
    return await runSuite(
      options,
      names.filter((name, n) => partOf(name, n) === part),
    );
  } finally {
    await server.dispose();
  }
}

/** Tests of the other organization's buckets run in the last part. The other tests are distributed over the first two. */
function partOf(name: string, n: number): number {
  return /_tenant(_|$)/.test(name) ? 2 : n % 2;
}

/** Returns whether a test waits for days of a server whose day takes ten seconds. */
function takesTooLong(name: string): boolean {
  return failures().get(name)?.startsWith("Waits") === true;
}
