import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The command's side of the redirect (RFC 8252 section 7.3). It answers one request. */
export interface Loopback {
  readonly redirectUri: string;
  /** Resolves with the parameters of the redirect. Requests with another state are refused. */
  readonly redirected: Promise<URLSearchParams>;
  close(): void;
}

const PATH = "/callback";
const PAGE = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
  connection: "close",
};

/** Waits at a free port of the loopback address. */
export async function openLoopback(state: string): Promise<Loopback> {
  const server = createServer({ maxHeaderSize: 8192 });
  const redirected = new Promise<URLSearchParams>((resolve) => {
    server.on("request", (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
      if (request.method !== "GET" || pathname !== PATH || searchParams.get("state") !== state)
        return void response.writeHead(404, PAGE).end();
      const text = searchParams.has("code") ? "You are signed in to the command line." : "The login was denied.";
      response.writeHead(200, PAGE).end(document(text));
      resolve(searchParams);
    });
  });
  const port = await listen(server);
  return { redirectUri: `http://127.0.0.1:${port}${PATH}`, redirected, close: () => void server.close() };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function document(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Mooring</title><p>${text} You can close this page.</p></html>`;
}
