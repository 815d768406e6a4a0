/** The command line beside a running server: output for scripts, and messages for people. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, mooring, type Outcome } from "../fixtures/process.ts";
import { bootstrap, startServer, useServer, type Bootstrap } from "../fixtures/server.ts";

const COMMANDS = [
  "serve",
  "bootstrap",
  "ingest",
  "query",
  "files",
  "credential",
  "ingest-key",
  "audit",
  "keys",
  "quota",
  "doctor",
  "config",
  "version",
];

const shared = useServer();
let directory = "";
let credentials = "";

before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-cli-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a command as the credential of the first organization. */
async function run(args: readonly string[], input?: string): Promise<Outcome> {
  credentials = join(directory, "credentials.json");
  writeFileSync(credentials, JSON.stringify(shared.home), { mode: 0o600 });
  return mooring([...args, "--credentials", credentials], input === undefined ? {} : { input });
}

async function send(lines: readonly object[], type = "logs"): Promise<void> {
  const outcome = await run(["ingest", type, "-"], lines.map((line) => JSON.stringify(line)).join("\n"));
  assert.equal(outcome.code, 0, outcome.stderr);
}

describe("help", { concurrency: 3 }, () => {
  for (const name of COMMANDS) {
    test(`${name} --help explains its use, with an example`, async () => {
      const { code, stdout, stderr } = await mooring([name, "--help"]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`^Usage: mooring ${name}`));
      assert.match(stdout, /--help/);
      assert.ok(
        name === "version" || new RegExp(`\\n {2}\\S.*mooring ${name}|\\n {2}mooring ${name}`).test(stdout),
        "an example",
      );
    });
  }

  test("the overview names every command", async () => {
    const { code, stdout } = await mooring(["help"]);
    assert.equal(code, 0);
    for (const name of COMMANDS) assert.match(stdout, new RegExp(`^ {2}${name} `, "m"));
  });

  for (const words of [
    ["nothing"],
    ["serve", "--no-such"],
    ["query"],
    ["ingest", "cats", "-"],
    ["credential", "burn"],
    ["bootstrap"],
  ]) {
    test(`mooring ${words.join(" ")} is a usage error: 2, and nothing on stdout`, async () => {
      const { code, stdout, stderr } = await mooring(words, {
        environment: { MOORING_CLIENT_ID: "x", MOORING_CLIENT_SECRET: "y" },
      });
      assert.equal(code, 2, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, /mooring/);
    });
  }
});

describe("bootstrap", { concurrency: 3 }, () => {
  test("beside a server: its real addresses, one object, and a credential that works", async () => {
    const made = await shared.server.bootstrap({ org: "beside", project: "web", app: "store" });
    assert.deepEqual(Object.keys(made), ["org", "project", "app", "addresses", "credential", "s3", "webhook", "owner"]);
    const names = [
      "identity_url",
      "ingest_url",
      "query_url",
      "storage_url",
      "registry_domain",
      "s3_endpoint",
      "webhooks_url",
      "portal_url",
      "otlp_grpc_url",
      "syslog_tcp_address",
      "syslog_tls_address",
      "syslog_udp_address",
    ];
    assert.deepEqual(Object.keys(made.addresses), names);
    assert.equal(made.addresses["identity_url"], shared.server.origin);
    assert.equal(made.org.slug, "beside");
    assert.match(made.owner.setup_url ?? "", /\/setup#mrst_/);
    const token = await shared.server.token(made.credential);
    const me = await shared.server.call<{ organization: { id: string }; scopes: string[] }>("GET", "/v1/me", { token });
    assert.equal(me.body.organization.id, made.org.id);
    assert.equal(me.body.scopes.length, 24);
  });

  test("again: the same organization, project and app, another credential", async () => {
    const names = { org: "twice", project: "web", app: "store" };
    const [first, second] = [await shared.server.bootstrap(names), await shared.server.bootstrap(names)];
    assert.deepEqual([second.org, second.project, second.app], [first.org, first.project, first.app]);
    assert.notEqual(second.credential.client_id, first.credential.client_id);
  });

  test("four at the same time create one of each", async () => {
    const names = { org: "atonce", project: "web", app: "store" };
    const made = await Promise.all(Array.from({ length: 4 }, () => shared.server.bootstrap(names)));
    for (const part of ["org", "project", "app"] as const)
      assert.equal(new Set(made.map((one) => one[part].id)).size, 1, part);
    assert.equal(new Set(made.map((one) => one.credential.client_id)).size, 4);
  });

  test("without a server, on an empty directory: a server started later knows the credential", async () => {
    const dataDir = join(directory, "alone");
    const made: Bootstrap = await bootstrap(dataDir, {});
    assert.equal(made.addresses["portal_url"], "http://127.0.0.1:8080");
    const server = await startServer({ dataDir, database: "sqlite" });
    try {
      assert.match(await server.token(made.credential), /^ey/);
    } finally {
      await server.dispose();
    }
  });

  for (const [what, words] of [
    ["a slug", ["--org", "No Good"]],
    ["an app", ["--app", "x"]],
    ["an address", ["--owner-email", "nobody"]],
  ] as const) {
    test(`${what} that is not valid is refused and named`, async () => {
      const all = [
        "bootstrap",
        "--data-dir",
        shared.server.dataDir,
        "--org",
        "acme",
        "--project",
        "shop",
        "--app",
        "checkout",
        ...words,
      ];
      const { code, stderr, stdout } = await mooring(all, { environment: shared.server.environment });
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.match(stderr, /^mooring bootstrap: cannot bootstrap: /);
    });
  }
});

describe("query", () => {
  before(async () => {
    const timestamp = "2026-11-20T08:00:00Z";
    await send([
      { timestamp, level: "info", message: "one", attributes: { who: "ann" } },
      { timestamp, level: "error", message: "two\u001b[31m", attributes: { who: "bob" } },
    ]);
  });

  test("ndjson, csv and json pass through; ndjson is the default without a terminal", async () => {
    const sql = "SELECT level, message = 'one' AS first FROM logs ORDER BY level DESC";
    const ndjson = '{"level":"info","first":true}\n{"level":"error","first":false}\n';
    assert.equal((await run(["query", sql])).stdout, ndjson);
    assert.equal((await run(["query", sql, "--format", "ndjson"])).stdout, ndjson);
    assert.match(
      (await run(["query", sql, "--format", "csv"])).stdout,
      /^level,first\r?\ninfo,true\r?\nerror,false\r?\n$/,
    );
    const json = JSON.parse((await run(["query", sql, "--format", "json"])).stdout) as { row_count: number };
    assert.equal(json.row_count, 2);
  });

  test("a table shows the number of rows, and sends no control characters of a log line to the terminal", async () => {
    const { stdout, stderr } = await run(["query", "SELECT message FROM logs ORDER BY message", "--format", "table"]);
    assert.equal(stdout, "message\n-------------\none\ntwo\\u001b[31m\n");
    assert.match(stderr, /^\(2 rows; \d+ ms\)\n$/);
    assert.match(
      (await run(["query", "SELECT 1 FROM range(5)", "--format", "table", "--limit", "2"])).stderr,
      /^\(2 rows; there are more/,
    );
  });

  test("values by position and by name, and the statement from standard input", async () => {
    const positional = await run(["query", "SELECT count(*) AS n FROM logs WHERE level = ? AND 5 = ?", "error", "5"]);
    assert.equal(positional.stdout, '{"n":1}\n', positional.stderr);
    const named = await run(
      ["query", "-", "--param", "who=ann"],
      "SELECT count(*) AS n FROM logs WHERE (attributes->>'who') = $who",
    );
    assert.equal(named.stdout, '{"n":1}\n', named.stderr);
    const typed = await run([
      "query",
      "SELECT typeof($a) AS a, typeof($b) AS b, $c IS NULL AS c",
      "--param",
      "a=1.5",
      "--param",
      'b="1"',
      "--param",
      "c=null",
    ]);
    assert.equal(typed.stdout, '{"a":"DOUBLE","b":"VARCHAR","c":true}\n', typed.stderr);
  });

  test("an invalid or forbidden statement: 1, the reason and the request's ID", async () => {
    for (const [sql, code] of [
      ["SELEC 1", "invalid_sql"],
      ["SELECT * FROM read_csv('/etc/passwd')", "sql_not_allowed"],
    ] as const) {
      const outcome = await run(["query", sql]);
      assert.equal(outcome.code, 1);
      assert.equal(outcome.stdout, "");
      assert.match(
        outcome.stderr,
        new RegExp(`^mooring query: cannot run the query: .*\\(400 ${code}, request id req_`),
      );
    }
  });

  test("a query that fails half-way: its first part does not look complete", async () => {
    // More rows than the server returns: the error comes when most of them are sent.
    for (const format of ["ndjson", "json", "csv"]) {
      const outcome = await run(["query", "SELECT range AS n FROM range(1000001)", "--format", format]);
      assert.equal(outcome.code, 1, format);
      assert.match(
        outcome.stderr,
        /^mooring query: cannot finish the query: .*; the printed result is not complete\n$/,
        format,
      );
      assert.ok(outcome.stdout.length > 1_000_000, format);
    }
  });
});

describe("credentials of commands", { concurrency: 3 }, () => {
  test("no credential is named: 2, and how to name one", async () => {
    const { code, stderr } = await mooring(["query", "SELECT 1", "--url", shared.server.origin]);
    assert.equal(code, 2);
    assert.match(stderr, /--credentials FILE/);
  });

  test("from the environment, with the addresses that the server reports", async () => {
    const { client_id, client_secret } = shared.home.credential;
    const environment = {
      MOORING_URL: shared.server.origin,
      MOORING_CLIENT_ID: client_id,
      MOORING_CLIENT_SECRET: client_secret,
    };
    assert.equal((await mooring(["query", "SELECT 1 AS one"], { environment })).stdout, '{"one":1}\n');
  });

  test("a wrong secret: 3, and the secret appears nowhere", async () => {
    const secret = `${shared.home.credential.client_secret.slice(0, -1)}_`;
    const environment = {
      MOORING_URL: shared.server.origin,
      MOORING_CLIENT_ID: shared.home.credential.client_id,
      MOORING_CLIENT_SECRET: secret,
    };
    const { code, stderr, stdout } = await mooring(["query", "SELECT 1"], { environment });
    assert.equal(code, 3);
    assert.match(stderr, /invalid_client/);
    assert.ok(!(stderr + stdout).includes(secret));
  });

  test("a missing scope: 3, and its name", async () => {
    const file = join(directory, "writer.json");
    const made = await run(["credential", "create", "--name", "writer", "--scope", "telemetry:write", "--save", file]);
    assert.equal(made.code, 0, made.stderr);
    const { code, stderr } = await mooring(["query", "SELECT 1", "--credentials", file]);
    assert.equal(code, 3);
    assert.match(stderr, /telemetry:read/);
  });

  test("an ingest key is made by a program of the organization, and on the server's machine", async () => {
    const file = join(directory, "key.txt");
    const limits = ["--service", "checkout", "--requests-per-second", "50", "--expires-days", "1"];
    const words = ["ingest-key", "create", "--name", "shipper", "--project", shared.home.project.slug, ...limits];
    const saved = await run([...words, "--save", file]);
    assert.equal(saved.code, 0, saved.stderr);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { dataDir, environment } = shared.server;
    const here = ["--data-dir", dataDir, "--org", shared.home.org.slug, "--json"];
    const local = await mooring([...words, ...here], { environment });
    assert.equal(local.code, 0, local.stderr);
    const made = JSON.parse(local.stdout) as { id: string; key: string; project_id: string };
    assert.equal(made.project_id, shared.home.project.id);
    const json = {
      entries: [{ timestamp: new Date().toISOString(), level: "info", message: "m", service: "checkout" }],
    };
    for (const key of [readFileSync(file, "utf8").trim(), made.key]) {
      const headers = { "x-api-key": key };
      const answer = await shared.server.call("POST", "/v1/ingest/logs", { headers, json });
      assert.equal(answer.status, 202, answer.text);
    }
    assert.match((await run(["ingest-key", "list"])).stdout, /shipper/);
    assert.equal((await run([...words, "--save", file])).code, 1, "the file exists");
    const unknown = await mooring([...words, "--data-dir", dataDir, "--org", "none"], { environment });
    assert.match(unknown.stderr, /there is no organization none/);
  });

  test("no server: 4, and what to check", async () => {
    const environment = { MOORING_URL: "http://127.0.0.1:1", MOORING_CLIENT_ID: "mrc_x", MOORING_CLIENT_SECRET: "x" };
    const { code, stderr } = await mooring(["query", "SELECT 1"], { environment });
    assert.equal(code, 4);
    assert.match(stderr, /can't be reached .*is the server running/);
  });

  test("a credentials file that others can read is used with a warning; one without a secret is not", async () => {
    const open = join(directory, "open.json");
    writeFileSync(open, JSON.stringify(shared.home), { mode: 0o644 });
    const used = await mooring(["query", "SELECT 1 AS one", "--credentials", open]);
    assert.equal(used.stdout, '{"one":1}\n');
    assert.match(used.stderr, /chmod 600/);
    const empty = join(directory, "empty.json");
    writeFileSync(empty, '{"credential":{"client_secret":"hunter2"', { mode: 0o600 });
    const refused = await mooring(["query", "SELECT 1", "--credentials", empty]);
    assert.equal(refused.code, 2);
    assert.ok(!refused.stderr.includes("hunter2"));
  });
});

describe("credentials", () => {
  test("create, list, rotate, revoke", async () => {
    const file = join(directory, "life.json");
    const made = await run([
      "credential",
      "create",
      "--name",
      "life",
      "--scope",
      "telemetry:read,telemetry:write",
      "--expires-days",
      "30",
      "--save",
      file,
    ]);
    assert.equal(made.code, 0, made.stderr);
    assert.ok(!made.stdout.includes("mrcs_"), "the secret is in the file only");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { client_id } = (JSON.parse(readFileSync(file, "utf8")) as Bootstrap).credential;
    assert.equal((await mooring(["query", "SELECT 1 AS one", "--credentials", file])).stdout, '{"one":1}\n');

    assert.match(
      (await run(["credential", "list"])).stdout,
      new RegExp(`${client_id} +life +live .*telemetry:write telemetry:read`),
    );

    const rotated = await run(["credential", "rotate", client_id, "--overlap-seconds", "0", "--json"]);
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.match((JSON.parse(rotated.stdout) as { client_secret: string }).client_secret, /^mrcs_/);
    assert.equal((await mooring(["query", "SELECT 1", "--credentials", file])).code, 3, "the old secret has ended");

    const revoked = await run(["credential", "revoke", client_id]);
    assert.match(revoked.stdout, /^revoked at .*; every node refuses its tokens\n$/);
    assert.equal((await run(["credential", "revoke", "mrc_none"])).code, 1);
  });

  test("an existing file is not overwritten", async () => {
    const file = join(directory, "kept.json");
    writeFileSync(file, "mine");
    const outcome = await run(["credential", "create", "--name", "x", "--scope", "telemetry:read", "--save", file]);
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /it exists already; name a new file; nothing was created/);
    assert.equal(readFileSync(file, "utf8"), "mine");
    assert.doesNotMatch((await run(["credential", "list"])).stdout, / x +live /, "nothing was created");
  });

  test("rotate replaces the file of the credential that it uses", async () => {
    const file = join(directory, "own.json");
    const scopes = "telemetry:read,credentials:read,credentials:write";
    assert.equal((await run(["credential", "create", "--name", "own", "--scope", scopes, "--save", file])).code, 0);
    const before = JSON.parse(readFileSync(file, "utf8")) as Bootstrap;
    const words = ["credential", "rotate", before.credential.client_id, "--overlap-seconds", "0", "--save", file];
    const rotated = await mooring([...words, "--credentials", file]);
    assert.equal(rotated.code, 0, rotated.stderr);
    const after = JSON.parse(readFileSync(file, "utf8")) as Bootstrap;
    assert.notEqual(after.credential.client_secret, before.credential.client_secret);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await mooring(["query", "SELECT 1 AS one", "--credentials", file])).stdout, '{"one":1}\n');
  });

  test("an unknown scope is refused before anything is created", async () => {
    const outcome = await run(["credential", "create", "--name", "x", "--scope", "telemetry:burn"]);
    assert.equal(outcome.code, 2);
    assert.match(outcome.stderr, /telemetry:burn/);
  });
});

describe("operating an instance", { concurrency: 3 }, () => {
  const beside = (...words: string[]): Promise<Outcome> =>
    mooring([...words, "--data-dir", shared.server.dataDir], { environment: shared.server.environment });

  test("audit verify reads every log on the machine, or one by the API", async () => {
    const all = await beside("audit", "verify");
    assert.equal(all.code, 0, all.stderr);
    assert.match(all.stdout, /^ok {4}instance: \d+ entries/);
    assert.match(all.stdout, /^ok {4}acme: \d+ entries/m);
    assert.match((await beside("audit", "verify", "--org", "acme", "--json")).stdout, /^\[\{"log":"acme","ok":true,/);
    assert.equal((await beside("audit", "verify", "--org", "none")).code, 1);
    assert.match((await run(["audit", "verify"])).stdout, /^ok {4}organization: /);
  });

  test("keys are listed and rotated", async () => {
    assert.match((await beside("keys", "list")).stdout, /ES256 +signing/);
    const rotated = await beside("keys", "rotate", "--json");
    assert.equal(rotated.code, 0, rotated.stderr);
    const states = (JSON.parse(rotated.stdout) as { state: string }[]).map((key) => key.state);
    assert.equal(states.filter((state) => state === "next").length, 2);
  });

  test("config print shows where each value comes from, and no secret", async () => {
    const environment = { MOORING_LOG_LEVEL: "warn", MOORING_MASTER_KEY: "cd".repeat(32) };
    const { code, stdout } = await mooring(["config", "print", "--listen", "127.0.0.1:1", "--json"], { environment });
    assert.equal(code, 0);
    const settings = JSON.parse(stdout) as Record<string, { value: unknown; origin: string }>;
    const { log_level: level, listen } = settings;
    assert.deepEqual([level?.value, level?.origin], ["warn", "MOORING_LOG_LEVEL"]);
    assert.deepEqual([listen?.value, listen?.origin], ["127.0.0.1:1", "--listen"]);
    assert.equal(settings["query_rows_max"]?.origin, "default");
    assert.ok(!stdout.includes("cdcd"));
  });

  test("doctor reports no fault of a healthy server", async () => {
    const { code, stdout } = await beside(
      "doctor",
      "--listen",
      "127.0.0.1:0",
      "--metrics-listen",
      "off",
      "--otlp-grpc-listen",
      "off",
    );
    assert.equal(code, 0, stdout);
    for (const check of [
      "node",
      "data directory",
      "disk",
      "clock",
      "database",
      "records",
      "master key",
      "query sandbox",
      "public buckets",
      "server",
    ]) {
      assert.match(stdout, new RegExp(`^ok +${check} `, "m"));
    }
  });

  test("doctor reports a key that others may read, another process on the address, and invalid settings", async () => {
    const dataDir = join(directory, "ill");
    await bootstrap(dataDir, {});
    chmodSync(join(dataDir, "master.key"), 0o644);
    const words = [
      "doctor",
      "--data-dir",
      dataDir,
      "--listen",
      new URL(shared.server.origin).host,
      "--metrics-listen",
      "off",
      "--json",
    ];
    const { code, stdout } = await mooring(words);
    assert.equal(code, 1);
    const findings = JSON.parse(stdout) as { check: string; status: string; mend?: string }[];
    const failed = findings.filter((finding) => finding.status === "fail");
    assert.deepEqual(
      failed.map((finding) => finding.check),
      ["master key", "listen"],
    );
    assert.match(failed[0]?.mend ?? "", /^chmod 600 /);
    const wrong = await mooring(["doctor", "--listen", "nowhere", "--log-level", "loud"]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /--listen[^]*--log-level/);
  });

  test("version", async () =>
    assert.match((await mooring(["version"])).stdout, /^mooring \d+\.\d+\.\d+ \(Node 2[4-9]/));
});

function signalled(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

describe("serve", () => {
  test("writes its address to a file while it runs, and deletes that when it stops", async () => {
    const server = await startServer();
    try {
      const file = join(server.dataDir, "server.json");
      const announced = JSON.parse(readFileSync(file, "utf8")) as { pid: number; addresses: { portal_url: string } };
      assert.equal(announced.addresses.portal_url, server.origin);
      assert.equal(announced.pid, server.pid);
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
      assert.equal(existsSync(file), false);
    } finally {
      await server.dispose();
    }
  });

  test("a second signal ends it at once", async () => {
    const server = await startServer();
    try {
      const token = await server.token((await server.bootstrap()).credential);
      // An unfinished upload delays an orderly stop.
      const upload = request(`${server.origin}/v1/ingest/logs`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "content-length": 1000,
          expect: "100-continue",
        },
      });
      upload.on("error", () => {});
      await new Promise<void>((resolve) => {
        upload.on("continue", resolve);
        upload.flushHeaders();
      });
      upload.write("{");
      process.kill(server.pid, "SIGTERM");
      await eventually("the stop to begin", () => (server.stdout().includes("SIGTERM") ? true : null));
      const startedMs = performance.now();
      // Signals at the same moment count as one, so the test repeats them until a later one counts.
      let ended = false;
      void server.exited.then(() => (ended = true));
      await eventually("the end", () => {
        if (!ended) signalled(server.pid);
        return ended ? true : null;
      });
      assert.ok(performance.now() - startedMs < 8000, "not the ten seconds that running requests get");
      assert.deepEqual(await server.exited, { code: 143, signal: null });
    } finally {
      await server.dispose();
    }
  });
});
