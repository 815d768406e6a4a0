import { request as httpRequest, type ClientRequest, type IncomingMessage, type Server } from "node:http";
import {
  constants,
  performServerHandshake,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { DrainLimits } from "./drain-body.ts";
import { connectedPair } from "./http2-pair.ts";

/** The most requests at one time on one connection. */
const STREAMS_MAX = 128;
/** The most bytes of a body that may arrive before they are read. */
const STREAM_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 1024 * 1024;
/**
 * Counted as in RFC 9113 section 6.5.2, with 32 bytes added for each field. The HTTP/1.1 server has a lower limit, and
 * refuses in the error format of the surface.
 */
const HEADER_BYTES_MAX = 32 * 1024;
const HEADER_FIELDS_MAX = 128;
const SETTINGS_MAX = 32;
/** A client that resets more streams, in a burst and per second after it, is disconnected (CVE-2023-44487). */
const RESETS_AT_ONCE_MAX = 200;
const RESETS_PER_SECOND = 20;
const INVALID_FRAMES_MAX = 100;

const SESSION_OPTIONS = {
  maxHeaderListPairs: HEADER_FIELDS_MAX,
  maxSettings: SETTINGS_MAX,
  maxSessionInvalidFrames: INVALID_FRAMES_MAX,
  streamResetBurst: RESETS_AT_ONCE_MAX,
  streamResetRate: RESETS_PER_SECOND,
  settings: {
    enablePush: false,
    maxConcurrentStreams: STREAMS_MAX,
    initialWindowSize: STREAM_WINDOW_BYTES,
    maxHeaderListSize: HEADER_BYTES_MAX,
  },
};

export interface Http2Options {
  /** The most requests at one time on all connections. Further requests are refused before they are read. */
  readonly streamsMax: number;
  /** Ends a request when no byte was received or sent for this long. */
  readonly idleTimeoutMs: number;
  /** Closes a connection that had no request for this long. */
  readonly keepAliveTimeoutMs: number;
  /** Closes a new connection without a request; if absent, `keepAliveTimeoutMs`. */
  readonly firstRequestTimeoutMs?: number;
  readonly refusedBodies: DrainLimits;
  /** Returns the header of the answer to a request that is not forwarded. Undefined: forward it. */
  readonly refuse?: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders | undefined;
}

export interface Http2 {
  accept(socket: Socket): void;
  /** Accepts no more requests. Each connection closes when its requests are answered. */
  close(): void;
  destroy(): void;
}

/**
 * Accepts HTTP/2 for an HTTP/1.1 server of this process. Each request is forwarded to that server over a connection in
 * memory, so all its rules apply: the check of Host, limits and draining of bodies, backpressure, deadlines, and the
 * handling of disconnects.
 */
export function createHttp2(server: Pick<Server, "emit">, options: Http2Options): Http2 {
  const sessions = new Set<ServerHttp2Session>();
  let streams = 0;

  function accept(socket: Socket): void {
    const session = performServerHandshake(socket, SESSION_OPTIONS);
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => undefined); // Node closes the session and its streams.
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    let open = 0;
    const firstMs = options.firstRequestTimeoutMs ?? options.keepAliveTimeoutMs;
    let idle = setTimeout(() => session.destroy(), firstMs).unref();
    session.once("close", () => clearTimeout(idle));
    session.on("stream", (stream, headers, flags, rawHeaders) => {
      stream.on("error", () => undefined); // The event `close` follows.
      if (streams >= options.streamsMax) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      clearTimeout(idle);
      streams += 1;
      open += 1;
      stream.once("close", () => {
        streams -= 1;
        open -= 1;
        if (open === 0 && !session.destroyed)
          idle = setTimeout(() => session.close(), options.keepAliveTimeoutMs).unref();
      });
      stream.setTimeout(options.idleTimeoutMs, () => stream.close(constants.NGHTTP2_CANCEL));
      const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
      const exchange = { stream, socket, server, hasBody, refusedBodies: options.refusedBodies };
      const refusal = options.refuse?.(headers);
      if (refusal === undefined) return forward(exchange, rawHeaders);
      stream.respond(refusal, { endStream: true });
      drain(exchange);
    });
  }

  return {
    accept,
    close: () => {
      for (const session of sessions) session.close();
    },
    destroy: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

interface Exchange {
  readonly stream: ServerHttp2Stream;
  readonly socket: Socket;
  readonly server: Pick<Server, "emit">;
  readonly hasBody: boolean;
  readonly refusedBodies: DrainLimits;
}

function forward(exchange: Exchange, rawHeaders: readonly string[]): void {
  const { stream, socket, server, hasBody } = exchange;
  const head = requestHeadOf(rawHeaders, hasBody);
  const [ours, theirs] = connectedPair(socket);
  const request = head === undefined ? undefined : begin(head, ours);
  if (request === undefined) return stream.respond({ ":status": 400 }, { endStream: true });
  server.emit(socket instanceof TLSSocket ? "secureConnection" : "connection", theirs);
  stream.once("close", () => void request.destroy());
  request.on("continue", () => {
    if (!stream.headersSent && !stream.destroyed) stream.additionalHeaders({ ":status": 100 });
  });
  let answer: IncomingMessage | undefined;
  request.on("response", (response) => {
    answer = response;
    respond(stream, response, head?.method === "HEAD");
  });
  request.on("error", () => undefined); // The event `close` follows.
  request.once("close", () => {
    if (answer?.complete === true) return drain(exchange);
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  stream.pipe(request);
}

interface RequestHead {
  readonly method: string;
  readonly path: string;
  /** Each name is followed by its value. */
  readonly fields: readonly string[];
}

/** A request with one of these fields is malformed (RFC 9113 section 8.2.2). */
const OF_CONNECTION = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);

/** Converts a request to HTTP/1.1. Undefined when it is malformed (RFC 9113 section 8.3.1). */
function requestHeadOf(raw: readonly string[], hasBody: boolean): RequestHead | undefined {
  const pseudo: Record<string, string> = {};
  const fields: string[] = [];
  const cookies: string[] = [];
  const hosts: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    if (OF_CONNECTION.has(name)) return undefined;
    if (name.startsWith(":")) pseudo[name] = value;
    else if (name === "cookie") cookies.push(value);
    else if (name === "host") hosts.push(value);
    else if (name !== "te") fields.push(name, value);
  }
  const { ":method": method, ":path": path, ":authority": authority } = pseudo;
  if (method === undefined || method === "CONNECT" || path === undefined) return undefined;
  // With two different hosts, a proxy could read one and this server the other.
  if (authority !== undefined && hosts.some((host) => host !== authority)) return undefined;
  for (const host of authority === undefined ? hosts : [authority]) fields.unshift("host", host);
  // HTTP/2 may split this field (RFC 9113 section 8.2.3).
  if (cookies.length > 0) fields.push("cookie", cookies.join("; "));
  return { method, path, fields: [...fields, ...framingOf(raw, hasBody)] };
}

function framingOf(raw: readonly string[], hasBody: boolean): string[] {
  const isSized = raw.some((name, at) => at % 2 === 0 && name === "content-length");
  if (isSized) return [];
  return hasBody ? ["transfer-encoding", "chunked"] : ["content-length", "0"];
}

/** Starts the request. Undefined when a field has characters that HTTP/1.1 does not allow. */
function begin({ method, path, fields }: RequestHead, connection: Duplex): ClientRequest | undefined {
  try {
    return httpRequest({ method, path, headers: [...fields], setHost: false, createConnection: () => connection });
  } catch {
    connection.destroy();
    return undefined;
  }
}

function respond(stream: ServerHttp2Stream, response: IncomingMessage, isHead: boolean): void {
  if (stream.destroyed || stream.closed) return void response.destroy();
  const status = response.statusCode ?? 500;
  const headers: OutgoingHttpHeaders = { ":status": status };
  for (let at = 0; at < response.rawHeaders.length; at += 2) {
    const name = (response.rawHeaders[at] ?? "").toLowerCase();
    const value = response.rawHeaders[at + 1] ?? "";
    if (OF_CONNECTION.has(name)) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat().map(String);
  }
  const hasNoBody = isHead || status === 204 || status === 304 || response.headers["content-length"] === "0";
  const hasTrailers = !hasNoBody && response.headers["trailer"] !== undefined;
  stream.respond(headers, { endStream: hasNoBody, waitForTrailers: hasTrailers });
  if (hasTrailers) stream.once("wantTrailers", () => stream.sendTrailers(response.trailers));
  response.on("error", () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  if (hasNoBody) response.resume();
  else response.pipe(stream);
}

/**
 * Drains the body of an answered request up to the limits, then ends the request. Many clients read the answer only
 * after they have sent everything.
 */
function drain({ stream, refusedBodies: { bytesMax, timeMs } }: Exchange): void {
  stream.unpipe();
  if (stream.destroyed) return;
  const end = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
  const timer = setTimeout(end, timeMs).unref();
  stream.once("close", () => clearTimeout(timer));
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) end();
  });
  stream.resume();
}
