/** The page Queries: a person sees what runs, cancels it, and reads why a query was slow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { axe, NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();
const SLOW = "SELECT count(*) AS n FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3";

test("a person cancels a query that runs, and reads why it was slow", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/queries`);
  await page.getByText("No query runs now.").waitFor();
  await page.getByText("No slow queries").waitFor();
  assert.deepEqual(await axe(page), []);

  const answer = server.call<{ code: string }>("POST", "/v1/query", { token, json: { sql: SLOW, timeout_ms: 60_000 } });
  const running = page.getByRole("group", { name: "Running queries" }).getByRole("row").nth(1);
  await running.getByText("running").waitFor({ timeout: 30_000 });
  await eventually("the query to be slow", async () =>
    /\d s/.test(await running.innerText().catch(() => "")) ? true : null,
  );
  assert.deepEqual(await axe(page), []);
  await running.getByRole("button", { name: /^Cancel query stmt_/ }).click();
  assert.equal((await answer).body.code, "query_cancelled");
  await page.getByText("No query runs now.").waitFor();
  const ended = page.getByRole("group", { name: "Ended queries" }).getByRole("row").nth(1);
  await ended.getByText("Its own computation took the time.").waitFor({ timeout: 30_000 });
  await ended.getByText("cancelled").first().waitFor();
  assert.deepEqual(await axe(page), []);

  await ended.getByRole("link", { name: /^SELECT count/ }).click();
  await page.getByRole("heading", { name: "SQL" }).waitFor();
  assert.match(page.url(), /\/sql\?sql=/);
});
