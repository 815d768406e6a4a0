/** Logins of the command line in a real browser: the page that approves, the page for a code, and the account's list. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { eventually, launch, type Running } from "../fixtures/process.ts";
import { axe, NO_CHROMIUM, overflow, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();
const home = mkdtempSync(join(tmpdir(), "mooring-logins-"));
after(() => rmSync(home, { recursive: true, force: true }));

/** Starts `mooring login`. Its browser writes the address to a file, so that the test's browser opens it. */
function login(words: readonly string[] = []): Running {
  const browser = join(home, "browser");
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${home}/new" && mv "${home}/new" "${home}/address"\n`, {
    mode: 0o755,
  });
  rmSync(join(home, "address"), { force: true });
  const environment = { XDG_CONFIG_HOME: home, BROWSER: browser };
  return launch(["login", portal.shared.server.origin, ...words], { environment });
}

function address(): Promise<URL> {
  return eventually("the command to open the browser", async () => {
    try {
      return new URL(readFileSync(join(home, "address"), "utf8"));
    } catch {
      return null;
    }
  });
}

/** The page leaves for the command's address, which is another origin. */
function withoutRedirects(tab: Tab): string[] {
  return tab.faults.filter((fault) => !fault.startsWith("a request went to http://127.0.0.1:"));
}

test(
  "the page shows the program and the address, and approving it signs the command in",
  { skip: NO_CHROMIUM },
  async () => {
    const tab = await portal.open();
    const running = login();
    const asked = await address();
    await tab.go(asked.pathname + asked.search);
    const { page } = tab;
    const text = await page.locator("main").innerText();
    assert.match(text, /mooring, the command line/);
    assert.ok(text.includes(asked.searchParams.get("redirect_uri") ?? "?"));
    assert.ok(text.includes(portal.shared.home.owner.email));
    assert.deepEqual(await axe(page), []);
    assert.ok((await overflow(page)) <= 0);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL((url) => url.pathname === "/callback");
    assert.match(await page.locator("body").innerText(), /You are signed in to the command line/);
    assert.equal((await running.exited).code, 0, running.stderr());
    assert.deepEqual(withoutRedirects(tab), []);
    await tab.close();
  },
);

test(
  "denying it ends the command, and a page with another address offers no button",
  { skip: NO_CHROMIUM },
  async () => {
    const tab = await portal.open();
    const running = login();
    const asked = await address();
    await tab.go(asked.pathname + asked.search);
    await tab.page.getByRole("button", { name: "Deny" }).click();
    assert.equal((await running.exited).code, 3, running.stderr());
    asked.searchParams.set("redirect_uri", "https://evil.example/callback");
    await tab.go(asked.pathname + asked.search);
    assert.match(await tab.page.getByRole("alert").innerText(), /must be a loopback address/);
    assert.equal(await tab.page.getByRole("button", { name: "Approve" }).count(), 0);
    await tab.close();
  },
);

test("a person who is signed out signs in first, and comes back to the request", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.openEmpty();
  const running = login();
  const asked = await address();
  await tab.page.goto(asked.pathname + asked.search);
  await tab.page.waitForURL((url) => url.pathname === "/sign-in");
  const back = new URL(tab.page.url()).searchParams.get("return_to") ?? "";
  const state = new URL(back, asked).searchParams.get("state");
  assert.equal(state, asked.searchParams.get("state"));
  process.kill(running.pid, "SIGINT");
  assert.equal((await running.exited).code, 130, running.stderr());
  await tab.close();
});

test("a code is typed, the machine is shown, and the person decides", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  const running = login(["--device"]);
  const code = await eventually(
    "the code",
    async () => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(running.stderr())?.[1] ?? null,
  );
  await tab.go("/device");
  assert.equal(await page.getByLabel("Code").inputValue(), "", "no code is filled in");
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Code").fill("BBBB-BBBB");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("No login waits for this code").waitFor();
  await page.getByLabel("Code").fill(code.toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Did you start this just now?" }).waitFor();
  assert.match(await page.locator("main").innerText(), /127\.0\.0\.1/);
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Yes, approve" }).click();
  await page.getByText("Approved.").waitFor();
  assert.equal((await running.exited).code, 0, running.stderr());
  await tab.go("/account?tab=sessions");
  const ends = page.getByRole("button", { name: /^End the login of / });
  await ends.first().waitFor();
  const before = await ends.count();
  assert.deepEqual(await axe(page), []);
  await ends.first().click();
  await page.getByText("The login has ended.").waitFor();
  await eventually("the row to disappear", async () => ((await ends.count()) < before ? true : null));
  await tab.close();
});
