import { requestBytes, runLoad, type LoadPlan, type LoadResult } from "../lib/load.ts";

export const CONNECTIONS = 64;
export const BODY_BYTES = 2048;

function event(): Buffer {
  const head = JSON.stringify({
    type: "order.paid",
    id: 4711,
    entries: [],
    customer: { name: "Ada", country: "GB" },
  }).slice(0, -1);
  const rest = `,"note":"`;
  return Buffer.from(`${head}${rest}${"x".repeat(BODY_BYTES - head.length - rest.length - 2)}"}`);
}

/** Sends events. The server must accept each one. */
export async function sendEvents(
  port: number,
  path: string,
  plan: Pick<LoadPlan, "durationMs" | "requestsMax" | "perSecond">,
): Promise<LoadResult> {
  const headers = { "content-type": "application/json", "user-agent": "bench" };
  const request = requestBytes({ method: "POST", path, host: `127.0.0.1:${port}`, headers, body: event() });
  const result = await runLoad({ host: "127.0.0.1", port, requests: [request], connections: CONNECTIONS, ...plan });
  const statuses = Object.keys(result.statuses).join();
  if (statuses !== "202" && statuses !== "") throw new Error(JSON.stringify(result.statuses));
  return result;
}

export const perSecond = (result: LoadResult): number => result.answered / (result.elapsedMs / 1000);
