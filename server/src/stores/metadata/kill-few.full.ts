import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { databaseCases } from "./testing/suite.ts";
import { KILLS } from "./testing/suite/life.ts";
import type { TestDatabase } from "./testing/suite/harness.ts";

for (const { kind, skip } of DATABASES) {
  describe(`metadata store: ${kind}`, { skip }, () => {
    databaseCases(KILLS, async (): Promise<TestDatabase> => {
      const dataDir = mkdtempSync(join(tmpdir(), "mooring-metadata-"));
      return {
        url: kind === "sqlite" ? undefined : await postgresUrl(dataDir),
        dataDir,
        sharesNotifications: kind !== "sqlite",
        leftovers: async () => (await readdir(dataDir)).filter((name) => name !== "mooring.db"),
        remove: async () => rmSync(dataDir, { recursive: true, force: true }),
      };
    });
  });
}
