import type { IncomingMessage } from "node:http";
import type { HandshakeAnswer, Kept, Received, Target } from "#domain/webhooks/index.ts";
import {
  answerProblem,
  BODY_LIMITS,
  createBodyBudget,
  createRateLimiter,
  noteAccess,
  readBody,
  type Surface,
  PROBLEMS,
} from "#http/index.ts";
import { WEBHOOK_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { RefusalFacts } from "#kernel/refusal.ts";
import type { WebhooksSurfaceDeps } from "./deps.ts";

type App = Parameters<Surface["mount"]>[0];
type Request = Parameters<typeof answerProblem>[0];
type Reply = Parameters<typeof answerProblem>[1];

/** A sender's request whose header was checked and whose body was not read yet. */
interface Admitted {
  readonly target: Target;
  readonly contentType: string | undefined;
}

/** Suspensions last hours or longer. */
const SUSPENDED_RETRY_S = 3600;
const EMPTY = Buffer.alloc(0);
/** The answer may contain a user's content, so it must never run as a page of our origin. */
const SANDBOX = { "x-content-type-options": "nosniff", "content-security-policy": "sandbox; default-src 'none'" };

/** Mounts `/hooks/{token}`. Everybody who knows the address may send. */
export function mountHooks(app: App, deps: WebhooksSurfaceDeps): void {
  const { receiver, host, rate } = deps;
  const limiter = createRateLimiter({ name: "webhook", ...rate, clock: host.clock });
  const budget = createBodyBudget(BODY_LIMITS);
  const admitted = new WeakMap<IncomingMessage, Admitted>();
  const known = new WeakMap<IncomingMessage, Target>();

  const admit = async (request: Request, reply: Reply): Promise<void> => {
    const { token } = request.params as { token: string };
    const target = await receiver.target(token);
    if (target === undefined) {
      host.countAddress(reply, request.ip);
      throw nowhere();
    }
    known.set(request.raw, target);
    noteAccess(request, { orgId: target.webhook.org_id, projectId: target.webhook.project_id });
    limiter.take(target.webhook.id);
    if (target.isSuspended) throw suspended();
    if (target.webhook.paused === 1) throw paused();
    const { headers } = request.raw;
    admitted.set(request.raw, { target, contentType: headers["content-type"] });
    // Accepts any content type, even a malformed one. Otherwise Fastify would look for a parser for it.
    delete headers["content-type"];
    reply.raw.once("close", budget.hold({ orgId: target.webhook.org_id, id: target.webhook.id }, bodyBytes(request)));
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request: Request, payload: IncomingMessage) =>
    readBody(payload, WEBHOOK_BODY_BYTES_MAX),
  );
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply, known.get(request.raw)));
  app.route({
    // Routes all methods to the receiver, which refuses the unsupported ones. Fastify's refusal would show the address.
    method: ["POST", "GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"],
    url: "/hooks/:token",
    bodyLimit: WEBHOOK_BODY_BYTES_MAX,
    exposeHeadRoute: false,
    config: { operationId: "receiveWebhookEvent", allow: ["POST"] },
    onRequest: admit,
    handler: async (request, reply) => {
      const { target, contentType } = admitted.get(request.raw) as Admitted;
      const received = await receiver.receive(target, hookRequest(request, contentType, deps.webhooksUrl));
      return answer(reply, received);
    },
  });
}

function hookRequest(request: Request, contentType: string | undefined, webhooksUrl: string) {
  const { url = "", rawHeaders, headers } = request.raw;
  const mark = url.indexOf("?");
  return {
    method: request.method,
    query: mark === -1 ? "" : url.slice(mark + 1),
    url: webhooksUrl + url,
    rawHeaders,
    headers: { ...headers, "content-type": contentType },
    body: Buffer.isBuffer(request.body) ? request.body : EMPTY,
    ip: request.ip,
  };
}

function answer(reply: Reply, received: Received): Reply {
  if ("handshake" in received) return answerHandshake(reply, received.handshake);
  const { kept, response, expected, batch } = received;
  if (response !== null) {
    return answerText(reply, kept, response);
  }
  const body = batch === undefined ? told(kept) : { id: kept.id, events: batch.map(told) };
  if (expected?.body !== undefined) return answerText(reply, kept, { status: expected.status, body: expected.body });
  if (expected?.status === 204) return reply.code(204).header("mooring-event-id", kept.id).send();
  return reply
    .code(expected?.status ?? 202)
    .header("content-type", "application/json")
    .send(JSON.stringify(body));
}

function answerText(
  reply: Reply,
  { id }: Kept,
  { status, body, content_type: type = "text/plain" }: { status: number; body: string; content_type?: string },
): Reply {
  return reply
    .code(status)
    .headers({ "content-type": type, ...SANDBOX, "mooring-event-id": id })
    .send(body);
}

function told({ id, duplicate }: Kept): object {
  return duplicate ? { id, duplicate } : { id };
}

function answerHandshake(reply: Reply, { status, headers, body }: HandshakeAnswer): Reply {
  return reply
    .code(status)
    .headers({ ...SANDBOX, ...headers })
    .send(body);
}

/** Answers an error like other surfaces, but without the path, because it contains the secret. */
function refuse(error: unknown, request: Request, reply: Reply, target: Target | undefined): Reply {
  // A token that is too long gets the same answer as an unknown one.
  const plain = (error as { code?: unknown }).code === "FST_ERR_MAX_PARAM_LENGTH" ? nowhere() : error;
  const { code, message: detail, options } = answerProblem(request, reply, plain);
  if (target !== undefined) request.refusal = { code, detail, options: { ...options, facts: () => factsOf(target) } };
  if (code === "method_not_allowed") void reply.header("allow", "POST");
  const { title, status } = PROBLEMS[code];
  const type = `urn:mooring:problem:${code}`;
  const body = { type, title, status, detail, instance: "/hooks", code, request_id: request.id };
  return reply.header("content-type", "application/problem+json; charset=utf-8").send(JSON.stringify(body));
}

/** Who knows the address is the webhook's sender. */
function factsOf({ webhook: { id, org_id: orgId, project_id: projectId } }: Target): RefusalFacts {
  return {
    actor: { kind: "webhook", id, orgId },
    resource: { kind: "webhook", id, projectId, isHidden: false },
  };
}

function bodyBytes(request: Request): number {
  const declared = Number(request.raw.headers["content-length"] ?? WEBHOOK_BODY_BYTES_MAX);
  return Math.min(declared, WEBHOOK_BODY_BYTES_MAX);
}

/** The one answer for addresses that never existed, are retired, or can't exist. */
function nowhere(): Problem {
  return new Problem("not_found", "There is no webhook at this address.");
}

/**
 * 503, because senders repeat it with growing pauses. After 410 many give up for good, and after other 4xx some switch
 * the webhook off.
 */
function suspended(): Problem {
  const detail = "The organization of this webhook is suspended; send the event again later.";
  return new Problem("unavailable", detail, { retryAfterS: SUSPENDED_RETRY_S });
}

function paused(): Problem {
  return new Problem("unavailable", "The webhook is paused; send the event again later.", { retryAfterS: 60 });
}
