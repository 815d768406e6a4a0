/** The README, whose commands are run as they stand there; the other pages follow in docs.full.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runReadme } from "../fixtures/page.ts";
import { startServer } from "../fixtures/server.ts";

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
