/** The pages of the documentation whose commands are run as they stand there. */
import { test } from "node:test";
import { runPage } from "../fixtures/page.ts";
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
