/** `mooring webhooks` as its users run it: manage webhooks, and forward events to one's own machine. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, killGroup, launch, mooring, type Outcome } from "../fixtures/process.ts";
import { startReceiver } from "../fixtures/receiver.ts";
import { useServer } from "../fixtures/server.ts";
import { post, acceptedEvent } from "../fixtures/webhooks.ts";

const shared = useServer();

function environment(): Record<string, string> {
  const { server, home } = shared;
  const file = join(server.dataDir, "credentials.json");
  writeFileSync(file, JSON.stringify(home), { mode: 0o600 });
  return { ...server.environment, MOORING_URL: server.origin, MOORING_CREDENTIALS: file };
}

async function webhooks(words: readonly string[], input = ""): Promise<Outcome> {
  const outcome = await mooring(["webhooks", ...words], { environment: environment(), input });
  assert.equal(outcome.code, 0, outcome.stderr);
  return outcome;
}

test("a webhook is created, paused, rotated, shown again and deleted; its secret comes from a file or standard input", async () => {
  const words = [
    "create",
    "--name",
    "gitlab",
    "--project",
    "shop",
    "--verify",
    "gitlab",
    "--secret-file",
    "-",
    "--json",
  ];
  const made = JSON.parse((await webhooks(words, "a token of theirs\n")).stdout) as { id: string; webhook_url: string };
  await acceptedEvent(made.webhook_url, "{}", { "x-gitlab-token": "a token of theirs" });
  assert.equal((await post(made.webhook_url, "{}", { "x-gitlab-token": "another" })).status, 401);
  await webhooks(["pause", made.id]);
  assert.match((await webhooks(["list"])).stdout, new RegExp(`${made.id} +gitlab +paused +gitlab`));
  await webhooks(["resume", made.id]);
  await webhooks(["rename", made.id, "--name", "theirs"]);
  await webhooks(["rotate", made.id, "--grace", "now"]);
  assert.equal((await post(made.webhook_url, "{}")).status, 404);
  const present = (await webhooks(["url", made.id])).stdout.trim();
  await acceptedEvent(present, "{}", { "x-gitlab-token": "a token of theirs" });
  await webhooks(["delete", made.id]);
  assert.equal((await post(present, "{}")).status, 404);
});

test("listen forwards events with their original bytes and header fields, and ends with Ctrl-C", async () => {
  const { home } = shared;
  const receiver = await startReceiver();
  const words = ["webhooks", "listen", home.webhook.id, "--forward", receiver.url];
  const running = launch(words, { environment: environment() });
  try {
    await eventually("it to listen", () => (running.stderr().includes("listening") ? true : null));
    const body = '{"a":  1}';
    await acceptedEvent(home.webhook.url, body, { "content-type": "application/json", "x-github-event": "push" });
    const large = "x".repeat(100_000);
    await acceptedEvent(home.webhook.url, large);
    await eventually("both events", () => (receiver.received.length >= 2 ? true : null));
    assert.deepEqual(
      receiver.received.map((each) => each.body),
      [body, large],
    );
    assert.equal(receiver.received[0]?.headers["x-github-event"], "push");
    await eventually("the answer", () => (/push 9 bytes {2}→ 200/.test(running.stdout()) ? true : null));
    running.child.kill("SIGINT");
    assert.equal((await running.exited).code, 130);
  } finally {
    killGroup(running.pid);
    await running.exited;
    await receiver.close();
  }
});
