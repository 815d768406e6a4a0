import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { createClient, type Addresses } from "@mooring/client";
import { createSender, type Batch, type Sender } from "./sender.ts";

/** A server that answers only when the test says so. */
const requests = new EventEmitter();
const waiting: ServerResponse[] = [];
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    waiting.push(response);
    requests.emit("read");
  });
});
let url = "";

beforeEach(async () => {
  waiting.length = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function senderOf(parallel: number, accepted: (count: number) => void): Sender {
  return createSender({
    client: createClient({ addresses: { ingest_url: url } as Addresses, tokens: null }),
    kind: "logs",
    project: undefined,
    strict: false,
    parallel,
    retryForMs: 0,
    clock: systemClock,
    signal: new AbortController().signal,
    accepted,
    refused: () => {},
    retrying: () => {},
  });
}

const batchOf = (message: string): Batch => ({ entries: [{ json: JSON.stringify({ message }), line: 1 }] });

async function answerNext(status: number, body: unknown): Promise<void> {
  if (waiting.length === 0) await once(requests, "read", { signal: AbortSignal.timeout(20_000) });
  waiting.shift()?.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

describe("a sender", () => {
  test("finish waits for batches that still wait to be sent", async () => {
    let accepted = 0;
    const sender = senderOf(1, (count) => {
      accepted += count;
    });
    await sender.submit(batchOf("first"));
    const submits = [sender.submit(batchOf("second")), sender.submit(batchOf("third"))];
    const finished = sender.finish();
    for (let answered = 0; answered < 3; answered++) await answerNext(202, { accepted: 1 });
    await finished;
    await Promise.all(submits);
    assert.equal(accepted, 3);
  });

  test("after a failure, nothing that waits is sent, and finish tells the failure", async () => {
    const sender = senderOf(1, () => {});
    await sender.submit(batchOf("first"));
    const second = assert.rejects(sender.submit(batchOf("second")), /send logs/);
    const finished = assert.rejects(sender.finish(), /send logs/);
    await answerNext(400, { type: "about:blank", title: "Bad", status: 400, code: "invalid_body", detail: "no" });
    await Promise.all([second, finished]);
    assert.equal(waiting.length, 0);
  });
});
