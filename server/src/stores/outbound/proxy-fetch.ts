import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { OutboundError } from "./failure.ts";
import { SecureTunnelAgent, TunnelAgent, type EgressProxy } from "./proxy.ts";

/** The part of `fetch` that clients of OpenID Connect use. */
export type ProxiedFetch = (
  url: string,
  options: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

const ANSWER_BYTES_MAX = 1024 * 1024;
/** Statuses of answers without a body (RFC 9110 section 6.4.1). */
const BODILESS = new Set([204, 205, 304]);

/** Returns a `fetch` through the proxy, for addresses that the operator chose. It follows no redirect. */
export function fetchThrough(proxy: EgressProxy): ProxiedFetch {
  const agents = { "http:": new TunnelAgent(proxy, {}), "https:": new SecureTunnelAgent(proxy, {}) };
  return async (url, { method, headers, body, signal }) => {
    const isSecure = new URL(url).protocol === "https:";
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      headers,
      agent: agents[isSecure ? "https:" : "http:"],
      ...(signal === undefined ? {} : { signal }),
    });
    request.end(typeof body === "string" || body instanceof URLSearchParams ? body.toString() : undefined);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new OutboundError("too_large", `${url} answered with too many bytes`);
      chunks.push(chunk);
    }
    const { statusCode: status = 502 } = response;
    const pairs = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(BODILESS.has(status) ? null : Buffer.concat(chunks), { status, headers: pairs });
  };
}
