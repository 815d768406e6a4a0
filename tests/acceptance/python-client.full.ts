/**
 * A Python client that a common generator makes from the server's document, used against that server. MOORING_TEST_PYTHON is
 * an interpreter with the packages of tests/clients/requirements.txt; without them the test says that it is skipped.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PYTHON } from "../clients/python.ts";
import { useSharedServer } from "../fixtures/server.ts";

const STEPS = fileURLToPath(new URL("../clients/openapi_steps.py", import.meta.url));
const MISSING =
  spawnSync(PYTHON, ["-c", "import openapi_python_client, openapi_spec_validator"]).status === 0
    ? false
    : `${PYTHON} lacks openapi-python-client and openapi-spec-validator: install tests/clients/requirements.txt, and name the interpreter by MOORING_TEST_PYTHON`;

const shared = useSharedServer();
let folder: string;
before(() => void (folder = mkdtempSync(join(tmpdir(), "mooring-python-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

async function python(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], PYTHONDONTWRITEBYTECODE: "1", PYTHONIOENCODING: "utf-8", HOME: folder };
  const { client_id: id, client_secret: secret } = shared.home.credential;
  const origin = shared.server.origin;
  const place = { ORIGIN: origin, TOKEN_URL: `${origin}/oauth/token`, CLIENT_ID: id, CLIENT_SECRET: secret };
  const generated = { GENERATED: join(folder, "client") };
  const { stdout, stderr } = await promisify(execFile)(PYTHON, args, { env: { ...env, ...place, ...generated } });
  return stdout + stderr;
}

test("a second validator accepts the document", { skip: MISSING }, async () => {
  const document = await fetch(`${shared.server.origin}/openapi.json`);
  assert.equal(document.status, 200);
  writeFileSync(join(folder, "openapi.json"), await document.text());
  assert.match(await python("-m", "openapi_spec_validator", join(folder, "openapi.json")), /OK/);
});

test("the generated client sends telemetry, queries, uploads and lists", { skip: MISSING }, async () => {
  const settings = join(folder, "settings.json");
  writeFileSync(settings, JSON.stringify({ post_hooks: [] }));
  const paths = ["--path", join(folder, "openapi.json"), "--output-path", join(folder, "client"), "--config", settings];
  await python(
    "-c",
    "import sys; from openapi_python_client.cli import app; sys.argv[0] = 'openapi-python-client'; app()",
    "generate",
    ...paths,
  );
  const printed = await python(STEPS);
  assert.deepEqual(JSON.parse(printed), { accepted: 1, rows: 1, files: [["a.txt", 3]] });
});
