import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import { openTestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { tailDeps } from "../testing/tails.ts";
import { filterOf } from "./filter.ts";
import { seenOf } from "./seen.ts";

test("a caller that disconnects before the tail begins takes no place", async (t) => {
  const telemetry = await openTestTelemetry();
  t.after(() => telemetry.close());
  const { tails } = tailDeps(telemetry, 1);
  t.after(() => tails.stop());
  let looks = 0;
  const seen = seenOf({ shown: new Set(), hidden: new Set(), unassigned: true });
  const look = (): Promise<typeof seen> => {
    looks++;
    return Promise.resolve(seen);
  };
  const opened = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response.once("close", () => {
      tails.open(response, { orgId: "org_a", filter: filterOf({ attributes: {} }), seen, look, headers: {} });
      opened.resolve();
    });
    caller.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  caller.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await opened.promise;
  tails.admit("org_a");
  assert.equal(looks, 0);
});
