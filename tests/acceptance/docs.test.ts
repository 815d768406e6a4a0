/** The pages of the documentation whose commands are run as they stand there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runPage, runReadme } from "../fixtures/page.ts";
import { startServer } from "../fixtures/server.ts";

/** What a page's examples need of the server. */
const SETTINGS: Readonly<Record<string, Record<string, string>>> = { alerts: { webhooks_private_addresses: "allow" } };

for (const name of ["ingest", "query", "otlp", "retention", "alerts", "files", "s3", "webhooks"]) {
  test(`docs/${name}.md`, async () => {
    const server = await startServer({ settings: SETTINGS[name] ?? {} });
    try {
      await runPage(server, name);
    } finally {
      await server.dispose();
    }
  });
}

test("the first five minutes of README.md", async () => {
  const server = await startServer();
  try {
    const printed = await runReadme(server);
    const file = printed.find((text) => text.includes('"filename":"read me.md"')) ?? "";
    assert.match(file, /"size_bytes":\d+/, `the file is uploaded and listed: ${printed.join("\n")}`);
    assert.match(file, /# Mooring\s*$/, "the range is its first line, and the deletion prints nothing");
    assert.ok(printed.some((text) => text.includes('"accepted":2')));
    assert.ok(printed.some((text) => text.includes("card refused")));
    assert.ok(printed.at(-1)?.includes("dpkg"), printed.at(-1));
    for (const text of printed) assert.doesNotMatch(text, /"status":\s*[45]\d\d/, "no problem was answered");
  } finally {
    await server.dispose();
  }
});
