import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// A receiver of events in a separate process. It accepts all events, and reports by GET the number of events and of
// distinct ones.

const seen = new Set<string>();
let requests = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ requests, events: seen.size }));
    return;
  }
  const id = String(request.headers["webhook-id"]);
  request.resume().on("end", () => {
    requests += 1;
    seen.add(id);
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));
