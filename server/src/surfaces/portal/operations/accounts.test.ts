import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { useOperator } from "../testing/operator.ts";
import type { Ada } from "../testing/server.ts";

const operated = useOperator();
let grace: Ada;

before(async () => {
  grace = await operated.server.join(operated.ada, "viewer");
});

beforeEach(() => operated.server.forward(60_000));

test("shows which addresses are not verified", async () => {
  const { json } = await operated.browser.call("GET", "/api/instance/accounts");
  const items = json["items"] as { email: string; verified_at: string | null; organizations: string[] }[];
  assert.deepEqual(
    items.map(({ email, verified_at: at, organizations }) => [email, at !== null, organizations]),
    [
      [operated.ada.email, true, [operated.ada.org]],
      [grace.email, false, [operated.ada.org]],
    ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
  assert.equal(json["unverified"], 1);
  const { json: some } = await operated.browser.call("GET", "/api/instance/accounts?unverified=true");
  assert.deepEqual(
    (some["items"] as { email: string }[]).map(({ email }) => email),
    [grace.email],
  );
});

test("is searched by part of an address, and read page after page", async () => {
  const found = await operated.browser.call("GET", "/api/instance/accounts?q=VIEWER-");
  assert.equal((found.json["items"] as unknown[]).length, 1);
  assert.equal(
    ((await operated.browser.call("GET", "/api/instance/accounts?q=%25")).json["items"] as unknown[]).length,
    0,
  );
  const seen: string[] = [];
  let cursor: string | null = "";
  do {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { json } = await operated.browser.call("GET", `/api/instance/accounts?limit=1${more}`);
    seen.push(...(json["items"] as { email: string }[]).map(({ email }) => email));
    cursor = json["next_cursor"] as string | null;
  } while (cursor !== null);
  assert.deepEqual(seen, [operated.ada.email, grace.email].toSorted());
  assert.equal(
    (await operated.browser.call("GET", "/api/instance/accounts?limit=0")).json["code"],
    "invalid_parameter",
  );
});

test("only operators may read it", async () => {
  const browser = await operated.server.signedIn(await operated.server.join(operated.ada, "admin"));
  assert.equal((await browser.call("GET", "/api/instance/accounts")).json["code"], "forbidden");
  assert.equal((await operated.server.browser().call("GET", "/api/instance/accounts")).status, 401);
});
