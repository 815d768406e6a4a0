import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const encryption = (algorithm: string): string =>
  `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>${algorithm}</SSEAlgorithm>` +
  "</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>";

test("keeps how a bucket's objects are encrypted unless they say so themselves", async () => {
  const { gateway, bucket } = shared;
  const absent = "ServerSideEncryptionConfigurationNotFoundError";
  refused(await gateway.call("GET", `/${bucket}?encryption`), absent, 404);
  succeeded(await gateway.call("PUT", `/${bucket}?encryption`, { body: encryption("AES256") }), 200);
  assert.match(succeeded(await gateway.call("GET", `/${bucket}?encryption`)).text, /<SSEAlgorithm>AES256</);
  refused(await gateway.call("PUT", `/${bucket}?encryption`, { body: encryption("aws:kms") }), "NotImplemented", 501);
  succeeded(await gateway.call("DELETE", `/${bucket}?encryption`), 204);
  refused(await gateway.call("GET", `/${bucket}?encryption`), absent, 404);
});
