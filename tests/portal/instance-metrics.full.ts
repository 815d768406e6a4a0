/** The metrics of the instance in a real browser: charts of the server's own telemetry, which only its readers see. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { axe, NO_CHROMIUM, overflow, usePortal, type Look } from "./browser.ts";

const portal = usePortal({
  settings: { own_telemetry_organization: "acme", own_telemetry_metrics_interval_ms: 500 },
});
const without = usePortal();
const PICTURES = process.env["MOORING_TEST_SCREENSHOTS"];
const LOOKS: readonly Look[] = [
  { theme: "light", width: 1440 },
  { theme: "dark", width: 1440 },
  { theme: "light", width: 390 },
  { theme: "dark", width: 390 },
];
const TITLES = ["Requests", "Answers", "Durations", "Event loop", "Processor", "Memory", "Free disk", "Queries"];
const PATIENCE_MS = 30_000;

/** Waits until the server has written two values of a metric whose increase is shown. */
async function written(): Promise<void> {
  const { server, token } = portal.shared;
  await eventually(
    "metrics of requests",
    async () => {
      const sql =
        "SELECT count(DISTINCT timestamp) AS n FROM metrics WHERE name = 'http_server_request_duration_seconds_bucket'";
      const { body } = await server.call<{ rows: { n: number | string }[] }>("POST", "/v1/query", {
        token,
        json: { sql },
      });
      return Number(body.rows[0]?.n ?? 0) > 4 ? true : null;
    },
    PATIENCE_MS,
  );
}

for (const look of LOOKS) {
  test(`the charts, ${look.theme}, ${look.width} px`, { skip: NO_CHROMIUM }, async () => {
    const tab = await portal.open(look);
    const { page } = tab;
    await written();
    await tab.go("/instance?tab=metrics&range=15m");
    for (const title of TITLES) {
      const chart = page.getByRole("region", { name: title, exact: true });
      await chart.locator(".ch-plot svg path[style], .ch-line").first().waitFor({ state: "attached" });
    }
    assert.match(
      (await page.getByRole("region", { name: "Memory", exact: true }).textContent()) ?? "",
      /now [\d.]+ (MiB|GiB)/,
    );
    assert.deepEqual([...(await axe(page)), ...tab.faults], []);
    assert.equal(await overflow(page), 0);
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `instance-metrics-${look.theme}-${look.width}.png`) });
    }
    await tab.close();
  });
}

test("without the setting, the page says how to set it", { skip: NO_CHROMIUM }, async () => {
  const tab = await without.open();
  await tab.go("/instance?tab=metrics");
  await tab.page.getByText("--own-telemetry-organization").waitFor();
  assert.deepEqual([...(await axe(tab.page)), ...tab.faults], []);
  await tab.close();
});
