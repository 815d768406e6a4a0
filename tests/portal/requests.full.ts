/** Refused requests in the portal: a person pastes the id of a request and reads who asked, what decided, and what would allow it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "../fixtures/server.ts";
import { axe, NO_CHROMIUM, overflow, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];

async function picture({ page }: Tab, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `requests ${name}.png`), fullPage: true });
}

test("a person finds out why a request was refused", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const made = await server.call<Client>("POST", "/v1/credentials", {
    token,
    json: { name: "nightly job", scopes: ["org:read"] },
  });
  const job = await server.token(made.body);
  const refused = await server.call("GET", "/v1/credentials", { token: job });
  assert.equal(refused.status, 403, refused.text);
  const id = String(refused.body["request_id"]);
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/requests`);
  await page.getByLabel("Request id").fill(id);
  await page.getByRole("button", { name: "Explain" }).click();
  const found = page.getByRole("region", { name: "Explanation" });
  await found.getByText("nightly job").waitFor();
  const text = await found.innerText();
  for (const part of ["insufficient_scope", "credentials:read", "Give the credential or the token this permission", id])
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  await page.getByRole("group", { name: "Recent refusals" }).getByText("nightly job").first().waitFor();
  assert.deepEqual(await axe(page), []);
  await picture(tab, "light wide");

  await page.getByLabel("Request id").fill("req_00000000000000000000000000");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("No refused request that you can see has the id").waitFor();

  for (const [name, look] of [
    ["dark 1440 px", { theme: "dark", width: 1440, height: 900 }],
    ["light 390 px", { width: 390, height: 800 }],
  ] as const) {
    const other = await portal.open(look);
    await other.go(`/o/${home.org.slug}/-/requests?id=${id}`);
    await other.page.getByRole("region", { name: "Explanation" }).getByText("nightly job").waitFor();
    await picture(other, name);
    assert.deepEqual(await axe(other.page), [], name);
    assert.ok((await overflow(other.page)) <= 0, name);
    await other.close();
  }
});
