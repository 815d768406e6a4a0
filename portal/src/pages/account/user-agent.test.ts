import assert from "node:assert/strict";
import { test } from "node:test";
import { browserText } from "./user-agent.ts";

test("browsers are distinguished from those that they descend from", () => {
  const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36";
  const pairs = [
    [`Mozilla/5.0 (X11; Linux x86_64) ${chrome}`, "Chrome on Linux"],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/147.0.0.0`, "Edge on Windows"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox on macOS"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    [`Mozilla/5.0 (Linux; Android 16; Pixel 9) ${chrome}`, "Chrome on Android"],
    ["curl/8.19.0", "curl"],
    ["", "unknown browser"],
    [null, "unknown browser"],
    ["x".repeat(50), `${"x".repeat(39)}…`],
  ] as const;
  for (const [agent, text] of pairs) assert.equal(browserText(agent), text);
});
