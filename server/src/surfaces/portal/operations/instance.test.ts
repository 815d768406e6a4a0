import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { listAudit } from "#domain/audit/index.ts";
import { openMail } from "#stores/mail/index.ts";
import { startSmtp, type SmtpServer } from "../../../../../tests/fixtures/smtp-server.ts";
import { useOperator } from "../testing/operator.ts";
import { acceptedClocks, PROBLEM, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

describe("getInstance", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("shows the server, its nodes, keys and checks", async () => {
    await server.identity.start();
    const { status, json, text } = await browser.call("GET", "/api/instance");
    assert.equal(status, 200, text);
    const { version, objects, telemetry, metadata, checks } = json;
    assert.deepEqual(
      { version, objects, telemetry, metadata },
      { version: "1.2.3", objects: "filesystem", telemetry: "embedded", metadata: server.metadata.dialect },
    );
    assert.deepEqual(json["problems"], [PROBLEM]);
    assert.deepEqual(checks, [{ name: "disk", state: "warning", detail: "900 MiB free" }]);
    const nodes = json["nodes"] as { current: boolean; applied_change: number }[];
    assert.deepEqual(
      nodes.map(({ current, applied_change }) => [current, applied_change]),
      [[true, json["latest_change"]]],
    );
    const keys = json["signing_keys"] as { alg: string; state: string }[];
    assert.deepEqual(keys.map(({ alg, state }) => `${alg} ${state}`).toSorted(), ["ES256 active", "RS256 active"]);
    assert.equal(json["own_telemetry_organization"], "acme");
    assert.ok(!text.includes("private"));
  });
});

describe("acceptClock", () => {
  const PATH = "/api/instance/clock/accept";

  const portal = useOperator();

  test("the clock is accepted, and the server's log names the operator", async () => {
    const before = acceptedClocks();
    const answer = await portal.browser.call("POST", PATH, {});
    assert.equal(answer.status, 204, answer.text);
    assert.equal(acceptedClocks(), before + 1);
    const rows = await portal.server.metadata.read
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "clock.accept")
      .execute();
    assert.equal(rows.length, 1);
  });

  test("invalid_body", async () => {
    assert.equal((await portal.browser.call("POST", PATH, { sure: true })).json["code"], "invalid_body");
  });
});

describe("getLogLevel", () => {
  const portal = useOperator();

  test("the level is shown, with that of the next start", async () => {
    const answer = await portal.browser.call("GET", LOG_LEVEL);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json["configured"], "info");
  });
});

describe("setLogLevel", () => {
  const portal = useOperator();

  test("the level changes, and the server's log names the operator", async () => {
    for (const level of ["debug", "info"]) {
      const answer = await portal.browser.call("PUT", LOG_LEVEL, { level });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual((await portal.browser.call("GET", LOG_LEVEL)).json, { level, configured: "info" });
    }
    const rows = portal.server.metadata.read.selectFrom("audit").selectAll().where("action", "=", "log.set_level");
    assert.deepEqual(
      (await rows.execute()).map(({ detail }) => detail),
      ['{"from":"info","to":"debug"}', '{"from":"debug","to":"info"}'],
    );
  });

  test("invalid_body", async () => {
    assert.equal((await portal.browser.call("PUT", LOG_LEVEL, { level: "loud" })).json["code"], "invalid_body");
  });
});

const LOG_LEVEL = "/api/instance/log-level";

describe("sendTestMail", () => {
  const PATH = "/api/instance/mail/test";
  const FROM = "noreply@example.com";

  let smtp: SmtpServer;
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    smtp = await startSmtp({ auth: { user: "mooring", password: "s3cret" } });
    const mail = openMail({ url: `smtp://mooring:s3cret@127.0.0.1:${smtp.port}`, from: FROM });
    server = await startPortal({ mail });
    ada = await server.createOwner(); // The first person is the operator.
    browser = await server.signedIn(ada);
  });

  after(async () => {
    await server.close();
    await smtp.close();
  });

  test("a test mail arrives, and the answer has the mail server's reply", async () => {
    const { status, json, text } = await browser.call("POST", PATH, { to: "ops@example.com" });
    assert.equal(status, 200, text);
    assert.deepEqual(json["reply"], { code: 250, text: "2.0.0 queued as 4711" });
    assert.equal(json["failure"], null);
    assert.deepEqual(smtp.received.at(-1)?.to, ["ops@example.com"]);
    const { items } = await listAudit(server, null, { action: "mail.test" }, { limit: 10 });
    assert.deepEqual(
      items.map((row) => [row.actor_id, JSON.parse(row.detail)]),
      [[ada.id, { failure: null, to: "ops@example.com" }]],
    );
  });

  test("the instance shows the mail server, without its password", async () => {
    const { json, text } = await browser.call("GET", "/api/instance");
    assert.deepEqual(json["mail"], {
      host: "127.0.0.1",
      port: smtp.port,
      security: "none",
      from: FROM,
      undelivered: [],
    });
    assert.ok(!text.includes("s3cret") && !server.log().includes("s3cret"));
    assert.equal((await browser.call("GET", "/api/session")).json["sends_email"], true);
  });

  test("a set-up link goes to the owner of a new organization", async () => {
    const body = { slug: "by-mail", name: "By mail", owner_email: "owner@example.org" };
    const made = await browser.call("POST", "/api/instance/organizations", body);
    assert.deepEqual(made.json["email"], { failure: null });
    const [, token = ""] = String(made.json["setup_url"]).split("#");
    assert.ok(smtp.received.at(-1)?.text.replaceAll("=\n", "").includes(token));
  });

  test("a failure has a readable reason; invalid_body; rate_limited", async () => {
    assert.equal((await browser.call("POST", PATH, { to: "nobody" })).json["code"], "invalid_body");
    const away = openMail({ url: "smtp://127.0.0.1:1", from: FROM });
    const other = await startPortal({ mail: away });
    try {
      const its = await other.signedIn(await other.createOwner());
      const { json } = await its.call("POST", PATH, { to: "ops@example.com" });
      assert.equal(json["reply"], null);
      assert.match(String(json["failure"]), /no connection to 127\.0\.0\.1 port 1/);
      for (let n = 0; n < 9; n++) await its.call("POST", PATH, { to: "ops@example.com" });
      assert.equal((await its.call("POST", PATH, { to: "ops@example.com" })).json["code"], "rate_limited");
    } finally {
      await other.close();
    }
  });

  test("conflict without a mail server", async () => {
    const other = await startPortal();
    try {
      const its = await other.signedIn(await other.createOwner());
      assert.equal((await its.call("POST", PATH, { to: "ops@example.com" })).json["code"], "conflict");
      assert.equal((await its.call("GET", "/api/instance")).json["mail"], null);
    } finally {
      await other.close();
    }
  });
});
