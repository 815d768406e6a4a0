/** The pages of the documentation whose commands are run as they stand there. */
import { test } from "node:test";
import { runPage } from "../fixtures/page.ts";
import { startServer } from "../fixtures/server.ts";

for (const name of ["ingest", "query", "otlp", "retention"]) {
  test(`docs/${name}.md`, async () => {
    const server = await startServer();
    try {
      await runPage(server, name);
    } finally {
      await server.dispose();
    }
  });
}
