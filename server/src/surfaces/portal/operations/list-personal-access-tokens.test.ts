import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(10 * 60_000); // failures and tries of the test before are forgotten
  ada = await server.settle();
  browser = await server.signedIn(ada);
});

after(() => server.close());

interface Made {
  readonly token: string;
  readonly item: { readonly id: string; readonly expires_at: string | null };
}

async function make(from: Browser, change: object = {}): Promise<Made> {
  const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"], ...change };
  const made = await from.call("POST", "/api/account/tokens", body);
  assert.equal(made.status, 201, made.text);
  return made.json as unknown as Made;
}

test("lists one's own, newest first, without the tokens themselves", async () => {
  const [one, other] = [await make(browser), await make(browser, { name: "desk" })];
  await make(await server.signedIn(await server.join(ada, "viewer")));
  const { json, text } = await browser.call("GET", "/api/account/tokens");
  const items = json["items"] as { id: string; name: string; organization: string; scopes: string[] }[];
  assert.deepEqual(
    items.map(({ id, name, organization, scopes }) => [id, name, organization, scopes]),
    [
      [other.item.id, "desk", ada.org, ["registry:pull"]],
      [one.item.id, "laptop", ada.org, ["registry:pull"]],
    ],
  );
  assert.ok(!text.includes(one.token) && !text.includes(other.token));
});
