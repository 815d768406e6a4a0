/** Daily usage: requests, uploads, downloads and queries of every kind of sender, by the API, as CSV and in SQL. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { downloadUrl, fetched, uploaded } from "../fixtures/files.ts";
import { eventually } from "../fixtures/process.ts";
import { useSharedServer } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { acceptedEvent, newWebhook } from "../fixtures/webhooks.ts";

interface Item {
  readonly project_id: string | null;
  readonly credential_id: string | null;
  readonly credential_name: string | null;
  readonly service: string;
  readonly requests: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly bytes_scanned: number;
}

const shared = useSharedServer();
const CONTENT = "x".repeat(100_000);

test("each surface counts requests and bytes, by project and credential", async () => {
  const { server, token, home } = shared;
  const file = await uploaded(server, token, { project: home.project.slug }, CONTENT);
  await fetched(await downloadUrl(server, token, file.id));
  // A body without a declared length.
  const chunked = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(CONTENT));
      controller.close();
    },
  });
  await uploaded(server, token, { project: home.project.slug }, chunked);
  await ingested(server, token, "logs", [logEntry("counted"), logEntry("counted too")]);
  await rows(server, token, "SELECT count(*) AS n FROM logs");
  const webhook = await newWebhook(server, token, { project: home.project.slug });
  await acceptedEvent(webhook.url, JSON.stringify({ text: CONTENT }));

  const items = await eventually(
    "the counts are written",
    async () => {
      const answer = await server.call<{ items: Item[] }>("GET", "/v1/usage/daily?group_by=all", { token });
      assert.equal(answer.status, 200, answer.text);
      const { items: found } = answer.body;
      const has = (service: string, of: keyof Item): boolean =>
        found.some((item) => item.service === service && Number(item[of]) > 0);
      return has("webhooks", "bytes_in") && has("query", "requests") && has("telemetry", "bytes_in") ? found : null;
    },
    30_000,
  );
  const sum = (service: string, of: "requests" | "bytes_in" | "bytes_out"): number =>
    items.filter((item) => item.service === service).reduce((total, item) => total + item[of], 0);
  assert.ok(sum("files", "bytes_in") >= 2 * CONTENT.length, `both uploads count: ${sum("files", "bytes_in")}`);
  assert.ok(sum("files", "bytes_in") < 2.1 * CONTENT.length, "nothing counts twice");
  assert.ok(sum("files", "bytes_out") >= CONTENT.length, "the download counts");
  assert.ok(sum("webhooks", "bytes_in") >= CONTENT.length, "an event counts");
  const ofFiles = items.filter((item) => item.service === "files" && item.bytes_in > CONTENT.length);
  assert.deepEqual([...new Set(ofFiles.map((item) => item.project_id))], [home.project.id]);
  const own = items.find((item) => item.service === "telemetry");
  assert.ok(own?.credential_name !== null, "a credential has its name");

  const csv = await server.call("GET", "/v1/usage/daily?group_by=service", { token, headers: { accept: "text/csv" } });
  assert.match(csv.text, /^day,service,requests,refused,bytes_in,bytes_out,bytes_scanned,bytes_stored\r\n/);
  assert.match(csv.text, /^\d{4}-\d\d-\d\d,webhooks,\d+,/m);
  const found = await rows<{ service: string; requests: number }>(
    server,
    token,
    "SELECT service, sum(requests)::INTEGER AS requests FROM usage_daily WHERE service IN ('telemetry', 'webhooks') GROUP BY service",
  );
  assert.equal(found.find(({ service }) => service === "telemetry")?.requests, sum("telemetry", "requests"));
});
