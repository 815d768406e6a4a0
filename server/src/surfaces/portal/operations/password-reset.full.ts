import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createMailedLink, createOperatorLink } from "#domain/accounts/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import { setUpApp } from "../testing/authenticator-app.ts";
import { startMailbox, type Mailbox } from "../testing/mailbox.ts";
import { useOperator } from "../testing/operator.ts";
import {
  ADDRESSES,
  PASSWORD,
  startPortal,
  type Ada,
  type Answer,
  type Browser,
  type PortalServer,
} from "../testing/server.ts";

const NOBODY = { ip: null, requestId: null };

describe("requestReset", () => {
  let mailbox: Mailbox;
  let server: PortalServer;
  let grace: Ada;

  before(async () => {
    mailbox = await startMailbox();
    server = await startPortal({ mail: mailbox.mail });
  });

  beforeEach(async () => {
    server.forward(60_000);
    grace = await server.join(await server.createOwner(), "developer");
  });

  after(async () => {
    await server.close();
    await mailbox.close();
  });

  test("the answer does not tell whether there is an account, and an account gets at most five mails an hour", async () => {
    const headers = { "request-id": "request-of-test" };
    const ask = (email: string): Promise<Answer> =>
      server.browser().call("POST", "/api/reset/request", { email }, headers);
    const [known, unknown] = [await ask(grace.email), await ask("nobody@example.com")];
    assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
    const names = (answer: Answer): string[] => [...answer.headers.keys()].toSorted();
    assert.deepEqual(names(known), names(unknown));
    await mailbox.next(grace.email, /\/reset#/);
    for (let n = 0; n < 4; n++) assert.notEqual(await createMailedLink(server, { email: grace.email }, NOBODY), null);
    assert.equal(await createMailedLink(server, { email: grace.email }, NOBODY), null);
    assert.equal((await ask("not an address")).json["code"], "invalid_body");
    server.forward(60_000);
    for (let n = 0; n < 10; n++) await ask("nobody@example.com");
    assert.equal((await ask(grace.email)).json["code"], "rate_limited");
  });

  const SAMPLES = 200;
  const ROUNDS_MAX = 5;

  test("the answer takes equally long for known and unknown addresses", async () => {
    const ask = async (email: string): Promise<number> => {
      const beganMs = performance.now();
      const { status } = await server.browser().call("POST", "/api/reset/request", { email });
      assert.equal(status, 204);
      return performance.now() - beganMs;
    };
    const measured: string[] = [];
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
      for (let n = 0; n < SAMPLES; n++) {
        server.forward(15 * 60_000); // Fewer than five mails an hour, so that each known address gets a mail. In turns, so that work after an answer delays both alike.
        for (const kind of n % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const))
          times[kind].push(await ask(kind === "known" ? grace.email : `nobody-${n}@example.com`));
      }
      const [known, unknown] = [median(times.known), median(times.unknown)];
      measured.push(`${known.toFixed(2)} and ${unknown.toFixed(2)} ms`);
      // The work for a known address, a transaction on disk and a mail, takes far longer than this.
      if (Math.abs(known - unknown) < 0.15 * Math.max(known, unknown) + 0.2) return;
    }
    assert.fail(`medians of ${SAMPLES} each: ${measured.join(", ")}`);
  });

  function median(times: readonly number[]): number {
    return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  }

  test("without a mail server the answer names the operator", async () => {
    const other = await startPortal();
    try {
      const answer = await other.browser().call("POST", "/api/reset/request", { email: "nobody@example.com" });
      assert.deepEqual([answer.status, answer.json["code"]], [409, "conflict"]);
      assert.match(answer.text, /mooring account reset/);
    } finally {
      await other.close();
    }
  });
});

describe("openReset", () => {
  const operated = useOperator();
  const ACTOR = { kind: "system", id: null } as const;

  async function opened(userId: string, clearsSecondFactor: boolean): Promise<Record<string, unknown>> {
    const options = { clearsSecondFactor, actor: ACTOR, origin: { ip: null, requestId: null } };
    const { token } = await createOperatorLink(operated.server, { userId }, options);
    const answer = await operated.server.browser().call("POST", "/api/reset/open", { token });
    assert.equal(answer.headers.get("cache-control"), "no-store");
    return answer.json;
  }

  test("describes the account and the effect of a link, and changes nothing", async () => {
    const { server, ada } = operated;
    const grace = await server.join(ada, "viewer");
    assert.deepEqual(await opened(grace.id, false), { email: grace.email, first_proof: true, second_factor: "none" });
    assert.deepEqual(await opened(ada.id, true), { email: ada.email, first_proof: false, second_factor: "none" });
    await setUpApp(server, await server.signedIn(ada));
    assert.equal((await opened(ada.id, false))["second_factor"], "required");
    assert.equal((await opened(ada.id, true))["second_factor"], "ends");
    assert.equal((await operated.browser.call("GET", "/api/session")).status, 200);
  });

  test("not_found, invalid_body; wrong links must wait, by address; a valid one never does", async () => {
    const { server, ada } = operated;
    server.forward(20 * 60_000);
    const ask = (body: object) => server.browser().call("POST", "/api/reset/open", body);
    assert.equal((await ask({ token: "x" })).json["code"], "not_found");
    assert.equal((await ask({})).json["code"], "invalid_body");
    for (let n = 0; n < 40; n++) await ask({ token: "x" });
    const refused = await ask({ token: "x" });
    assert.equal(refused.json["code"], "rate_limited");
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    for (let n = 0; n < 40; n++) assert.equal((await opened(ada.id, false))["email"], ada.email);
  });
});

describe("resetPassword", () => {
  const NEXT = "another horse battery";

  const SYSTEM = { kind: "system", id: null } as const;

  let mailbox: Mailbox;
  let server: PortalServer;
  let ada: Ada;
  let grace: Ada;

  before(async () => {
    mailbox = await startMailbox();
    server = await startPortal({ mail: mailbox.mail });
    ada = await server.createOwner();
  });

  beforeEach(async () => {
    server.forward(60_000);
    grace = await server.join(ada, "developer");
    await server.metadata.write((tx) =>
      tx.updateTable("person").set({ verified_at: 1 }).where("id", "=", grace.id).execute(),
    );
  });

  after(async () => {
    await server.close();
    await mailbox.close();
  });

  async function mailedToken(email: string): Promise<string> {
    const asked = await server.browser().call("POST", "/api/reset/request", { email });
    assert.equal(asked.status, 204, asked.text);
    const text = await mailbox.next(email, /\/reset#/);
    return /\/reset#(mrrl_\w+)/.exec(text)?.[1] ?? assert.fail(text);
  }

  function reset(token: string, browser: Browser = server.browser(), password = NEXT): Promise<Answer> {
    return browser.call("POST", "/api/reset", { token, password });
  }

  async function operatorLink(clearsSecondFactor: boolean): Promise<string> {
    const options = { clearsSecondFactor, actor: SYSTEM, origin: NOBODY };
    return (await createOperatorLink(server, { userId: grace.id }, options)).token;
  }

  test("a mailed link sets a new password, ends every session, and informs the person", async () => {
    const before = await server.signedIn(grace);
    const token = await mailedToken(grace.email);
    const opened = await server.browser().call("POST", "/api/reset/open", { token });
    assert.deepEqual(opened.json, { email: grace.email, first_proof: false, second_factor: "none" });
    const browser = server.browser();
    const answer = await reset(token, browser);
    assert.deepEqual([answer.status, answer.json["status"]], [200, "signed_in"], answer.text);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal((await before.call("GET", "/api/session")).status, 401);
    const session = (await browser.call("GET", "/api/session")).json["session"] as { method: string };
    assert.equal(session.method, "reset_link");
    await mailbox.next(grace.email, /Your password was changed/);
    const old = await server
      .browser()
      .call("POST", "/api/sign-in/password", { email: grace.email, password: PASSWORD });
    assert.equal(old.json["code"], "sign_in_failed");
    const rows = await server.metadata.read
      .selectFrom("audit")
      .select("detail")
      .where("action", "=", "password.reset")
      .execute();
    assert.ok(rows.some(({ detail }) => detail?.includes('"sent_by":"mail"')));
  });

  test("the code of an authenticator app is still required", async () => {
    const app = await setUpApp(server, await server.signedIn(grace));
    const browser = server.browser();
    const answer = await reset(await mailedToken(grace.email), browser);
    assert.equal(answer.json["status"], "second_factor", answer.text);
    assert.equal(browser.cookie, undefined);
    const second = await browser.call("POST", "/api/sign-in/totp", { ticket: answer.json["ticket"], code: app.code() });
    assert.equal(second.json["status"], "signed_in", second.text);
  });

  test("the operator's link removes the app only if it was created for that", async () => {
    await setUpApp(server, await server.signedIn(grace));
    assert.equal((await reset(await operatorLink(false))).json["status"], "second_factor");
    const token = await operatorLink(true);
    const opened = await server.browser().call("POST", "/api/reset/open", { token });
    assert.equal(opened.json["second_factor"], "ends");
    assert.equal((await reset(token)).json["status"], "signed_in");
  });

  test("used, older, expired and unknown links get the same answer, byte for byte", async () => {
    const [first, second] = [await operatorLink(false), await operatorLink(false)];
    assert.equal((await reset(second)).status, 200);
    const expired = await operatorLink(false);
    server.forward(60 * 60_000);
    const moved = await operatorLink(false);
    await server.metadata.write((tx) =>
      tx
        .updateTable("person")
        .set({ email: `moved-${grace.email}` })
        .where("id", "=", grace.id)
        .execute(),
    );
    const headers = { "request-id": "request-of-test" };
    for (const path of ["/api/reset", "/api/reset/open"]) {
      const answers = [];
      for (const token of [first, second, expired, moved, newSecret("mrrl"), "x"]) {
        server.forward(60_000);
        const body = path === "/api/reset" ? { token, password: NEXT } : { token };
        answers.push(await server.browser().call("POST", path, body, headers));
      }
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [404]);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    }
  });

  test("one of two concurrent uses of a link succeeds", async () => {
    const token = await operatorLink(false);
    const answers = await Promise.all([reset(token), reset(token), reset(token)]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 404, 404],
    );
  });

  test("a short password is refused and the link still works; wrong links must wait, a valid one never does", async () => {
    const token = await operatorLink(false);
    assert.equal((await reset(token, server.browser(), "short")).json["code"], "invalid_body");
    assert.equal((await reset(token)).status, 200);
    server.forward(60_000);
    for (let n = 0; n < 20; n++) await reset("x");
    assert.equal((await reset("x")).json["code"], "rate_limited");
    assert.equal((await reset(await operatorLink(false))).status, 200);
  });

  test("no token reaches the log or the records", async () => {
    const token = await mailedToken(grace.email);
    await reset(token);
    const audit = JSON.stringify(await server.metadata.read.selectFrom("audit").selectAll().execute());
    const links = JSON.stringify(await server.metadata.read.selectFrom("account_link").selectAll().execute());
    assert.ok(server.log().includes("/api/reset"));
    for (const text of [server.log(), audit, links]) assert.ok(!text.includes(token));
    assert.ok(ADDRESSES.portal_url !== "");
  });

  test("pages of other sites can't send any of these requests", async () => {
    for (const path of ["/api/reset", "/api/reset/open", "/api/reset/request"]) {
      const answer = await server.browser().call("POST", path, {}, { origin: "https://evil.example" });
      assert.equal(answer.json["code"], "cross_site", path);
    }
  });
});

describe("createResetLink", () => {
  const operated = useOperator();
  let grace: Ada;

  before(async () => {
    grace = await operated.server.join(operated.ada, "viewer");
  });

  beforeEach(() => operated.server.forward(60_000));

  test("a reset link is created for an account, is in both audit logs, and sets the password", async () => {
    const path = `/api/instance/accounts/${grace.id}/reset-link`;
    const { status, json } = await operated.browser.call("POST", path, { clear_second_factor: true });
    assert.equal(status, 201);
    const [, token] = String(json["reset_url"]).split("/reset#");
    assert.ok(Date.parse(String(json["expires_at"])) > operated.server.clock.nowMs());
    const rows = await operated.server.metadata.read
      .selectFrom("audit")
      .select(["org_id", "actor_id"])
      .where("action", "=", "reset_link.create")
      .where("target_id", "=", grace.id)
      .execute();
    assert.deepEqual(new Set(rows.map(({ org_id: org }) => org)), new Set(["", operated.ada.orgId]));
    assert.ok(rows.every(({ actor_id: id }) => id === operated.ada.id));
    const used = await operated.server
      .browser()
      .call("POST", "/api/reset", { token, password: "another horse battery" });
    assert.equal(used.status, 200, used.text);
  });

  test("it requires an operator with a recent proof", async () => {
    const other = await operated.server.signedIn(operated.ada).then(() => operated.server.join(operated.ada, "admin"));
    const browser = await operated.server.signedIn(other);
    const path = `/api/instance/accounts/${grace.id}/reset-link`;
    for (const [method, address, body] of [
      ["GET", "/api/instance/accounts", undefined],
      ["POST", path, {}],
    ] as const) {
      assert.equal((await browser.call(method, address, body)).json["code"], "forbidden");
      assert.equal((await operated.server.browser().call(method, address, body)).status, 401);
    }
    const absent = await operated.browser.call(
      "POST",
      "/api/instance/accounts/user_00000000000000000000000000/reset-link",
      {},
    );
    assert.equal(absent.json["code"], "not_found", absent.text);
    assert.equal((await operated.browser.call("POST", path, { clear: 1 })).json["code"], "invalid_body");
    operated.server.forward(11 * 60_000);
    assert.equal((await operated.browser.call("POST", path, {})).json["code"], "confirmation_required");
  });
});
