/** A resumable upload of 1 GiB that continues after `kill -9` of the server. */
import { test } from "node:test";
import { resumeAfterKills } from "../fixtures/tus.ts";

test("tus-js-client sends 1 GiB to a server that is killed five times meanwhile", { timeout: 900_000 }, async () => {
  await resumeAfterKills(1024 ** 3, 5);
});
