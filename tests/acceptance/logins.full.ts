/** `mooring login`: as a person at a terminal, with a browser that approves, and over SSH with a code. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Person } from "../fixtures/person.ts";
import { eventually, launch, mooring, ownEnvironment, type Outcome } from "../fixtures/process.ts";
import { PROGRAM } from "../fixtures/program.ts";
import { startServer, useSharedServer, type Server } from "../fixtures/server.ts";

const SCRIPT = "/usr/bin/script";

describe("mooring login", () => {
  const shared = useSharedServer();
  let owner: Person;
  let home: string;
  let browser: string;

  before(async () => {
    owner = await Person.setUp(shared.server, shared.home.owner);
    home = mkdtempSync(join(tmpdir(), "mooring-login-"));
    browser = join(home, "browser");
    // The browser of these tests: it writes the address to a file, and the test does what the person does.
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf %s "$1" > "${home}/address.tmp" && mv "${home}/address.tmp" "${home}/address"\n`,
    );
    chmodSync(browser, 0o755);
  });

  after(() => rmSync(home, { recursive: true, force: true }));

  const file = () => join(home, "mooring", "logins.json");
  const environment = () => ({ XDG_CONFIG_HOME: home, BROWSER: browser });
  const run = (words: readonly string[], more: object = {}): Promise<Outcome> =>
    mooring(words, { environment: { ...environment(), ...more } });

  /** Starts a command that opens the browser, approves the login there, and follows the redirect. */
  async function approving(
    words: readonly string[],
    change: object = {},
  ): Promise<{ code: number | null; stdout: string; stderr: string; redirect: Response }> {
    rmSync(join(home, "address"), { force: true });
    const running = launch(words, { environment: environment() });
    const address = await eventually("the browser to open", async () => {
      try {
        return new URL(readFileSync(join(home, "address"), "utf8"));
      } catch {
        return null;
      }
    });
    const given = Object.fromEntries(address.searchParams);
    assert.equal(address.origin + address.pathname, `${shared.server.origin}/authorize`);
    assert.deepEqual([given["response_type"], given["code_challenge_method"]], ["code", "S256"]);
    const { redirect_uri, state, code_challenge, name } = given;
    const approved = await owner.call<{ redirect_to: string }>("POST", "/api/logins", {
      client_id: "mooring-cli",
      organization: shared.home.org.slug,
      name,
      redirect_uri,
      state,
      code_challenge,
      code_challenge_method: "S256",
      ...change,
    });
    assert.equal(approved.status, 200, approved.text);
    const redirect = await fetch(approved.body.redirect_to);
    const { code } = await running.exited;
    return { code, stdout: running.stdout(), stderr: running.stderr(), redirect };
  }

  async function signIn(): Promise<void> {
    const outcome = await approving(["login", shared.server.origin]);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(outcome.stdout, `signed in to ${shared.home.org.slug} at ${shared.server.origin} as ${owner.email}\n`);
    assert.match(await outcome.redirect.text(), /You are signed in/);
  }

  test("signs in by browser, keeps the login in a file for one user, and commands act as the person", async () => {
    await signIn();
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    const listed = await run(["credential", "list", "--json"]);
    assert.equal(listed.code, 0, listed.stderr);
    const status = await run(["auth", "status", "--json"]);
    const {
      logins,
      file: path,
      overridden_by,
    } = JSON.parse(status.stdout) as {
      file: string;
      overridden_by: string | null;
      logins: { email: string; organization: string }[];
    };
    assert.deepEqual([logins[0]?.email, logins[0]?.organization], [owner.email, shared.home.org.slug]);
    assert.deepEqual([path, overridden_by], [file(), null]);
    assert.ok(!status.stdout.includes("mrl"), "the status has no token");
    const made = await run(["credential", "create", "--name", "by login", "--scope", "telemetry:write", "--json"]);
    assert.equal(made.code, 0, made.stderr);
    const { body } = await owner.api<{ items: { actor: { id: string }; detail: { via?: string } }[] }>(
      "GET",
      "/v1/audit?action=credential.create&limit=1",
    );
    assert.equal(body.items[0]?.actor.id, owner.id);
    assert.match(body.items[0]?.detail.via ?? "", /^login_/);
  });

  test("is listed in the account, and ends there at once", async () => {
    await signIn();
    const { body } = await owner.call<{ items: { id: string; name: string }[] }>("GET", "/api/account/logins");
    const [login] = body.items;
    assert.match(login?.name ?? "", /@/);
    assert.equal((await owner.call("DELETE", `/api/account/logins/${login?.id}`)).status, 204);
    const refused = await run(["credential", "list"]);
    assert.equal(refused.code, 3, refused.stderr);
    assert.match(refused.stderr, /your login to .* has ended; run mooring login/);
  });

  test("a logout ends it on the server, and removes it from the file", async () => {
    await signIn();
    const { access_token: token } = stored();
    const out = await run(["logout"]);
    assert.equal(out.code, 0, out.stderr);
    assert.equal((await shared.server.call("GET", "/v1/me", { token })).status, 401);
    const none = await run(["auth", "status"]);
    assert.deepEqual([none.code, /run mooring login/.test(none.stderr)], [1, true]);
    const later = await run(["credential", "list"]);
    assert.deepEqual([later.code, /no credential: run mooring login/.test(later.stderr)], [2, true]);
  });

  test("is refused if other users can read its file", async () => {
    await signIn();
    chmodSync(file(), 0o644);
    const refused = await run(["credential", "list"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /other users can read .*; run chmod 600/);
    chmodSync(file(), 0o600);
  });

  test("a credential of the environment comes before it, and the status says so", async () => {
    await signIn();
    const { client_id, client_secret } = shared.home.credential;
    const variables = { MOORING_CLIENT_ID: client_id, MOORING_CLIENT_SECRET: client_secret };
    const status = await run(["auth", "status", "--json"], variables);
    assert.equal((JSON.parse(status.stdout) as { overridden_by: string }).overridden_by, "MOORING_CLIENT_ID");
  });

  test("many commands renew it at the same time, and each continues", async () => {
    await signIn();
    const content = JSON.parse(readFileSync(file(), "utf8")) as { logins: Record<string, string>[] };
    const expired = content.logins.map((login) => ({ ...login, access_until: "2020-01-01T00:00:00Z" }));
    writeFileSync(file(), JSON.stringify({ ...content, logins: expired }), { mode: 0o600 });
    const before = stored().refresh_token;
    const outcomes = await Promise.all([1, 2, 3].map(() => run(["credential", "list", "--json"])));
    for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr);
    assert.notEqual(stored().refresh_token, before);
  });

  test("refuses a redirect with another state, and continues to wait", async () => {
    rmSync(join(home, "address"), { force: true });
    const running = launch(["login", shared.server.origin], { environment: environment() });
    const address = await eventually("the browser to open", async () => {
      try {
        return new URL(readFileSync(join(home, "address"), "utf8"));
      } catch {
        return null;
      }
    });
    const redirect = address.searchParams.get("redirect_uri") ?? "";
    const state = address.searchParams.get("state") ?? "";
    assert.equal((await fetch(`${redirect}?code=stolen&state=other`)).status, 404);
    const denied = await fetch(`${redirect}?error=access_denied&state=${state}`);
    assert.match(await denied.text(), /was denied/);
    const { code } = await running.exited;
    assert.equal(code, 3, running.stderr());
  });

  test("signs in with a code on another machine", async () => {
    const running = launch(["login", shared.server.origin, "--device"], { environment: environment() });
    const code = await eventually(
      "the code",
      async () => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(running.stderr())?.[1] ?? null,
    );
    assert.match(running.stderr(), new RegExp(`Open ${shared.server.origin}/device `));
    const shown = await owner.call<{ name: string; ip: string }>("POST", "/api/logins/device/find", {
      user_code: code,
    });
    assert.deepEqual([shown.status, shown.body.ip], [200, "127.0.0.1"], shown.text);
    const body = { user_code: code, organization: shared.home.org.slug };
    assert.equal((await owner.call("POST", "/api/logins/device/approve", body)).status, 204);
    assert.equal((await running.exited).code, 0, running.stderr());
    const listed = await run(["credential", "list", "--json"]);
    assert.equal(listed.code, 0, listed.stderr);
  });

  test("neither the server's log nor the command's output has a token", async () => {
    const outcome = await approving(["login", shared.server.origin]);
    const { access_token, refresh_token } = stored();
    for (const token of [access_token, refresh_token])
      for (const text of [outcome.stdout, outcome.stderr, shared.server.stderr(), shared.server.stdout()])
        assert.ok(!text.includes(token));
  });

  function stored(): { access_token: string; refresh_token: string } {
    const { logins } = JSON.parse(readFileSync(file(), "utf8")) as {
      logins: { access_token: string; refresh_token: string }[];
    };
    return logins[0] ?? assert.fail("no login");
  }
});

describe("an act that needs a recent sign-in (RFC 9470)", () => {
  const STEP_MS = 11 * 60_000;
  const preload = fileURLToPath(new URL("../fixtures/clock-ahead.mjs", import.meta.url));
  const clock = { NODE_OPTIONS: `--import ${preload}`, TEST_CLOCK_STEP_MS: String(STEP_MS) };
  let server: Server;
  let home: string;
  let org: string;
  let owner: Person;

  before(async () => {
    server = await startServer({ environment: clock });
    const made = await server.bootstrap();
    org = made.org.slug;
    owner = await Person.setUp(server, made.owner);
    home = mkdtempSync(join(tmpdir(), "mooring-proof-"));
    const browser = join(home, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${home}/new" && mv "${home}/new" "${home}/address"\n`);
    chmodSync(browser, 0o755);
  });

  after(async () => {
    await server.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  const environment = () => ({ XDG_CONFIG_HOME: home, BROWSER: join(home, "browser") });

  /** Approves the login that the command asks for in the browser. */
  async function approve(): Promise<void> {
    const address = await eventually("the browser to open", async () => {
      try {
        return new URL(readFileSync(join(home, "address"), "utf8"));
      } catch {
        return null;
      }
    });
    rmSync(join(home, "address"));
    const { redirect_uri, state, code_challenge, name } = Object.fromEntries(address.searchParams);
    const body = { client_id: "mooring-cli", organization: org, name, redirect_uri, state, code_challenge };
    const approved = await owner.call<{ redirect_to: string }>("POST", "/api/logins", {
      ...body,
      code_challenge_method: "S256",
    });
    assert.equal(approved.status, 200, approved.text);
    await fetch(approved.body.redirect_to);
  }

  test(
    "works for ten minutes; then a script ends with 3, and a person proves it in the browser again",
    { skip: existsSync(SCRIPT) ? false : "needs script (util-linux), which gives a command a terminal" },
    async () => {
      const login = launch(["login", server.origin], { environment: environment() });
      await approve();
      assert.equal((await login.exited).code, 0, login.stderr());
      const create = ["credential", "create", "--name", "proved", "--scope", "telemetry:write", "--json"];
      assert.equal((await mooring(create, { environment: environment() })).code, 0);
      process.kill(server.pid, "SIGUSR2");
      const reads = await eventually("the clock to move", async () => {
        const outcome = await mooring(create, { environment: environment() });
        return outcome.code === 0 ? null : outcome;
      });
      assert.deepEqual(
        [reads.code, /401 insufficient_user_authentication/.test(reads.stderr)],
        [3, true],
        reads.stderr,
      );
      assert.equal(
        (await mooring(["credential", "list"], { environment: environment() })).code,
        0,
        "other acts continue",
      );
      owner = await Person.signedIn(server, owner.email);
      const line = [process.execPath, PROGRAM, ...create].join(" ");
      const child = spawn(SCRIPT, ["-qec", line, "/dev/null"], {
        env: { ...ownEnvironment(), ...environment() },
        stdio: ["pipe", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
      const exited = once(child, "exit");
      await approve();
      assert.deepEqual(await exited, [0, null], output);
      assert.match(output, /This act needs a new sign-in[^]*"client_secret": "mrcs_/);
    },
  );
});
