import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerProblem, principalOf, projectOfRows, readBodyPieces, statusOf } from "#http/index.ts";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import type { TelemetrySurfaceDeps } from "./deps.ts";
import { appendOnce } from "./protocols/append-once.ts";
import { servicesOf } from "./operations/ingest.ts";
import { countingRefused } from "./refused-entries.ts";
import type { EncodedBody } from "./wire/encode.ts";
import { joined, type SentBody } from "./wire/sent-body.ts";
import type { Protocol, ProtocolAnswer, RequestHead } from "./protocols/protocol.ts";
import { PROTOCOLS } from "./protocols/table.ts";

/** Refusals after which a sender should send the same again. */
const LATER = new Set([429, 503]);

/** Mounts every protocol. None has rows in the contract, since others specify them. */
export function mountProtocols(app: FastifyInstance, deps: TelemetrySurfaceDeps): void {
  for (const protocol of PROTOCOLS) mountProtocol(app, deps, protocol);
}

/** Mounts the paths of a protocol in a separate context, so that its body parser and error form stay with it. */
function mountProtocol(app: FastifyInstance, deps: TelemetrySurfaceDeps, protocol: Protocol): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", readProtocolBody);
    const { refuse } = protocol;
    if (refuse !== undefined) {
      scope.setErrorHandler((error, request, reply) => {
        const problem = answerProblem(request, reply, error);
        const status = protocol.statuses?.[problem.code] ?? statusOf(problem);
        if (LATER.has(status) && protocol.ignoresAnswers?.(headOf(request)) === true) return breakConnection(reply);
        return send(reply, refuse(problem, status));
      });
    }
    mountWrites(scope, deps, protocol);
    mountHandshakes(scope, deps, protocol);
  });
}

function breakConnection(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.destroy();
}

function mountWrites(scope: FastifyInstance, deps: TelemetrySurfaceDeps, protocol: Protocol): void {
  for (const { method, url, operationId } of protocol.writes) {
    scope.route({
      method,
      url,
      bodyLimit: INGEST_BODY_BYTES_MAX,
      config: { operationId },
      onRequest: (request, reply) => deps.host.admitSender(request, reply),
      handler: async (request, reply) => send(reply, protocol.answer(await counted(deps, protocol, request))),
    });
  }
}

function mountHandshakes(scope: FastifyInstance, deps: TelemetrySurfaceDeps, { handshakes = [] }: Protocol): void {
  for (const { method, url, operationId, isPublic, answer } of handshakes) {
    scope.route({
      method,
      url,
      config: { operationId },
      onRequest: async (request, reply) => (isPublic === true ? undefined : deps.host.admitSender(request, reply)),
      handler: async (request, reply) => send(reply, answer(headOf(request), joined(bodyOf(request)))),
    });
  }
}

function headOf({ headers, query, params, method, url }: FastifyRequest): RequestHead {
  return {
    method,
    path: url.split("?", 1)[0] ?? "",
    headers: headers as RequestHead["headers"],
    query: query as RequestHead["query"],
    params: params as RequestHead["params"],
  };
}

/** The limit counts the bytes as sent. The decompressed bytes have a separate limit, see `bodyBytesMax`. */
async function readProtocolBody(_request: FastifyRequest, payload: IncomingMessage): Promise<SentBody> {
  return { pieces: await readBodyPieces(payload, INGEST_BODY_BYTES_MAX) };
}

function counted(deps: TelemetrySurfaceDeps, protocol: Protocol, request: FastifyRequest): Promise<EncodedBody> {
  const { name, type } = protocol;
  const sent = { principal: principalOf(request), protocol: name, type, projectId: projectOfRows(request) };
  return countingRefused(deps.refused, sent, () => write(deps, protocol, request));
}

/** Resolves when every row of the request is flushed to disk. @throws Problem */
async function write(deps: TelemetrySurfaceDeps, protocol: Protocol, request: FastifyRequest): Promise<EncodedBody> {
  const principal = principalOf(request);
  const { namedProject } = request;
  const { name, type } = protocol;
  deps.store.admit(principal.orgId);
  const rules = await deps.rules?.sets.of(principal);
  const { parser, coding, settings } = protocol.choose(headOf(request));
  const { pieces } = bodyOf(request);
  const encoded = await deps.encoders.encode(
    type,
    { pieces, coding },
    {
      projectId: projectOfRows(request),
      lenient: true,
      hashed: true,
      rules,
      services: servicesOf(principal),
      times: deps.store.acceptedTimes(principal.orgId, type),
      protocol: { parser, settings, receivedMs: deps.host.clock.nowMs() },
    },
  );
  const meaning = JSON.stringify([name, parser, settings]);
  const isRepeat = await appendOnce(deps.store, { principal, type, protocol: meaning, namedProject, encoded });
  if (isRepeat) return encoded;
  deps.rules?.counter.add(principal.orgId, encoded.ruleCounts);
  deps.skipped?.count(name, encoded.report);
  return encoded;
}

function bodyOf(request: FastifyRequest): SentBody {
  return (request.body as SentBody | undefined) ?? { pieces: [] };
}

function send(reply: FastifyReply, { status, headers, body }: ProtocolAnswer): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}
