import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { DISCOVERY_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import type { ApiSurfaceDeps } from "../deps.ts";
import { apiDocument } from "../document.ts";

type Row = typeof DISCOVERY_ROUTES.getApiDocument;

interface Written {
  readonly digest: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/**
 * Creates the document on the first request and keeps it, since rows and addresses don't change while the server runs.
 */
export function getApiDocument({ addresses }: ApiSurfaceDeps): Operation<ApiSurfaceDeps, Row> {
  let written: Promise<Written> | undefined;
  return async (_deps, _input, { request, reply }) => {
    const { digest, ...bodies } = await (written ??= write(apiDocument(addresses)));
    const isGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    // A strong tag names one representation (RFC 9110 section 8.8.3.3).
    const etag = isGzip ? `"${digest}-gzip"` : `"${digest}"`;
    void reply.headers({
      etag,
      "cache-control": "public, max-age=300",
      vary: "accept-encoding",
      "content-type": "application/json; charset=utf-8",
    });
    if (namesTag(request.headers["if-none-match"], etag)) await reply.code(304).send();
    else if (isGzip) await reply.header("content-encoding", "gzip").send(bodies.gzip);
    else await reply.send(bodies.plain);
    return undefined as never; // already sent
  };
}

async function write(document: object): Promise<Written> {
  const plain = Buffer.from(JSON.stringify(document));
  return { digest: sha256Hex(plain).slice(0, 32), plain, gzip: await promisify(gzip)(plain) };
}

/** If-None-Match compares weakly (RFC 9110 section 13.1.2). */
function namesTag(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  const named = field.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return named.includes(etag) || named.includes("*");
}
