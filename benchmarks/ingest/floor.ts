import { mkdtempSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

// The minimal work of a durable ingest endpoint: read the body, JSON.parse it, append it to a file, flush, answer.
// Batches that arrive during a flush share the next one, as in the product. Without that, the floor would be lower.

const file = await open(join(mkdtempSync(join(tmpdir(), "mooring-floor-")), "log"), "a");
let waiting: { bytes: Buffer; done: () => void }[] = [];
let running = false;

async function flush(): Promise<void> {
  running = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await file.writev(group.map((batch) => batch.bytes));
    await file.datasync();
    for (const batch of group) batch.done();
  }
  running = false;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const { entries } = JSON.parse(body.toString()) as { entries: unknown[] };
    const answer = JSON.stringify({ accepted: entries.length });
    waiting.push({
      bytes: body,
      done: () =>
        response.writeHead(202, { "content-type": "application/json", "content-length": answer.length }).end(answer),
    });
    if (!running) void flush();
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));
