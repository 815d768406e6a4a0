/** One of many concurrent creates of an object with If-None-Match succeeds. */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { test } from "node:test";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { sdkClient } from "../fixtures/s3-client.ts";
import { startS3 } from "../fixtures/s3.ts";

const ROUNDS = 1000;
const CONTENDERS = 64;

test(`${CONTENDERS} concurrent If-None-Match: * have one winner, ${ROUNDS} times`, { timeout: 900_000 }, async () => {
  const { server, endpoint } = await startS3({
    settings: { rate_limit_per_second: 100_000, rate_limit_burst: 100_000 },
  });
  const client = sdkClient(endpoint);
  const agent = new Agent({ keepAlive: true, maxSockets: CONTENDERS });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const at = { Bucket: endpoint.bucket, Key: `round ${round}` };
      const url = await getSignedUrl(client, new PutObjectCommand(at));
      const statuses = await Promise.all(
        Array.from({ length: CONTENDERS }, (_, n) => putIfAbsent(url, String(n), agent)),
      );
      const winners = statuses.flatMap((status, n) => (status === 200 ? [String(n)] : []));
      // A request during another one's write may get that answer instead.
      const others = statuses.filter((status) => status !== 200 && status !== 412 && status !== 409);
      assert.deepEqual([winners.length, others], [1, []], `round ${round}: ${statuses.join(" ")}`);
      const { Body } = await client.send(new GetObjectCommand(at));
      assert.equal(await Body?.transformToString(), winners[0], `round ${round}`);
    }
  } finally {
    agent.destroy();
    client.destroy();
    await server.dispose();
  }
});

function putIfAbsent(url: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "if-none-match": "*", "content-length": body.length };
    const put = request(url, { method: "PUT", headers, agent }, (answer) => {
      answer
        .resume()
        .on("end", () => resolve(answer.statusCode ?? 0))
        .on("error", reject);
    });
    put.on("error", reject).end(body);
  });
}
