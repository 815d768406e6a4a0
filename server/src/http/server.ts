import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { METHODS, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { PUBLIC_BODY_TIMEOUT_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { AccessLog } from "./access-log.ts";
import { BODY_LIMITS, createBodyBudget, holdBodies, type BodyLimits } from "./body-budget.ts";
import { limitBodyTime } from "./body-deadline.ts";
import { isBodyDrained, type DrainLimits } from "./drain-body.ts";
import { limitJson } from "./json-limits.ts";
import type { Listener } from "./listener.ts";
import { countedStatus, routeOf, type HttpMetrics } from "./metrics.ts";
import { beginProblem, HttpProblem, pathOf, sendProblem } from "./problems.ts";
import { createProtocolErrors, refuseUnlessConformant, requireHost } from "./protocol-errors.ts";
import { observeRefusals } from "./refusals.ts";
import { requestIdOf } from "./request-id.ts";
import { DATA_FIELDS } from "./safety.ts";
import type { ErrorForm, Surface } from "./surface.ts";

export interface HttpServerOptions {
  /** Already bound. It serves requests when the application is ready. */
  readonly listener: Listener;
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly metrics: HttpMetrics;
  /** Called for each request after it is answered and counted in `metrics`. */
  readonly answered?: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Writes rows of the access log. Absent: there is none. */
  readonly accessLog?: AccessLog;
  /** Called once for each request that is refused, or fails, before its answer is sent. */
  readonly refused?: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly surfaces: readonly Surface[];
  /** Peers whose `X-Forwarded-For` counts; none by default. */
  readonly trustedProxies: readonly string[];
  /** Requests answered after this long are logged as slow. */
  readonly slowRequestMs: number;
  /** Whether every answered request gets a line of the level info. */
  readonly logRequests?: boolean;
  /** Limits of bodies in memory; the product's limits when absent. */
  readonly bodies?: BodyLimits;
  /** Time limit for the body of a request without a principal; the product's limit when absent. */
  readonly publicBodyTimeoutMs?: number;
}

declare module "fastify" {
  interface FastifyReply {
    /** Sends 100 Continue to a client that waits for it. Otherwise this happens before a body is parsed. */
    askForBody(): void;
    /** Begins an answer whose body is not sent by the framework. An answer to HEAD ends here. */
    sendHead(status: number, fields: Readonly<Record<string, string>>): this;
  }
}

/** Creates the Fastify instance of one listener, ready to serve, with the conventions of all surfaces. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { log, clock } = options;
  const formOf = (path: string): ErrorForm | undefined =>
    options.surfaces.find(({ errors }) => errors?.covers(path) === true)?.errors;
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply =>
    (formOf(pathOf(request))?.send ?? sendProblem)(request, reply, error);
  const takesAll = options.surfaces.some((surface) => surface.takesAll === true);
  const { refusedBodies } = options.listener;
  const protocolErrors = createProtocolErrors({ clock, log, refusedBodies, formOf });
  let handle: RequestListener | undefined;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: requestIdOf(clock),
    return503OnClosing: false,
    serverFactory: (handler) => {
      handle = handler;
      return options.listener.server;
    },
    clientErrorHandler: protocolErrors.handle,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    exposeHeadRoutes: true,
    ...(takesAll ? { rewriteUrl: () => "/" } : {}),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    frameworkErrors: (error, request, reply) => {
      // No hook has run yet, so the common header fields are set here.
      void refuse(request, reply.headers({ ...DATA_FIELDS, "request-id": request.id }), error);
    },
  });
  if (takesAll) for (const method of METHODS) app.addHttpMethod(method, { overrideExisting: true });
  app.decorateRequest("operation", null);
  app.decorateRequest("problemStatus", null);
  app.decorateRequest("principal", null);
  app.decorateRequest("signedIn", null);
  app.decorateRequest("isLimited", false);
  app.decorateRequest("namedProject", null);
  app.decorateRequest("session", null);
  app.decorateRequest("operator", null);
  app.decorateRequest("accessed", null);
  app.decorateRequest("isAccessBegun", false);
  const routesAt = collectRoutes(app);
  const methodsOf = (path: string): readonly string[] => (formOf(path)?.methodsOf ?? routesAt)(path);
  limitJson(app);
  holdBodies(app, createBodyBudget(options.bodies ?? BODY_LIMITS));
  limitBodyTime(app, options.publicBodyTimeoutMs ?? PUBLIC_BODY_TIMEOUT_MS);
  protocolErrors.watch(app.server);
  refuseBeforeContinue(app, options.listener.refusedBodies, options.accessLog);
  observeAnswers(app, options);
  const expectationFails = collectExpectations(app);
  app.addHook("onRequest", async (request, reply) => {
    if (takesAll) return restoreTarget(request);
    void reply.headers({ ...DATA_FIELDS, "request-id": request.id });
    refuseUnlessConformant(request.raw, expectationFails.has(request.raw));
    // Thrown in this hook, because the not-found handler runs only after the whole body has arrived.
    if (request.is404) throw absent(methodsOf(pathOf(request)));
  });
  app.setErrorHandler((error, request, reply) => {
    keepConnection(request, reply);
    return refuse(request, reply, error);
  });
  app.setNotFoundHandler((request, reply) => refuse(request, reply, absent(methodsOf(pathOf(request)))));
  for (const surface of options.surfaces) await app.register(async (scope) => mountSurface(scope, surface));
  await app.ready();
  if (handle === undefined) throw new Error("fastify created no handler");
  options.listener.serve(handle);
  return app;
}

async function mountSurface(scope: FastifyInstance, surface: Surface): Promise<void> {
  scope.addHook("onRoute", (route) => {
    route.config = { surface: surface.name, ...route.config };
  });
  await surface.mount(scope);
}

/** Counts and logs each answer once. `onResponse` would miss answers whose receiver disconnected. */
function observeAnswers(app: FastifyInstance, options: HttpServerOptions): void {
  const { metrics, answered, refused } = options;
  const refusals = observeRefusals(app, refused ?? (() => undefined));
  const observe = (request: FastifyRequest, reply: FastifyReply): void => {
    refusals.ended(request, reply);
    metrics.observe(request, reply);
    answered?.(request, reply);
    logAnswered(request, reply, options);
  };
  app.addHook("onRequest", (request, reply, done) => {
    reply.raw.once("close", () => {
      if (reply.raw.headersSent) observe(request, reply);
    });
    done();
  });
  // The receiver disconnected before the answer began.
  app.addHook("onSend", (request, reply, _payload, done) => {
    if (reply.raw.closed) observe(request, reply);
    done();
  });
}

/** Restores the original target, which was replaced to reach the only route. @throws Problem `invalid_request` */
function restoreTarget({ raw, originalUrl }: FastifyRequest): void {
  raw.url = originalUrl;
  requireHost(raw);
}

/** Returns the methods of a path, from the patterns of all mounted routes. */
function collectRoutes(app: FastifyInstance): (path: string) => string[] {
  const patterns = new Map<string, { matches: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", (route) => {
    const known = patterns.get(route.url) ?? { matches: patternOf(route.url), methods: new Set<string>() };
    for (const method of route.config?.allow ?? [route.method].flat()) known.methods.add(method);
    patterns.set(route.url, known);
  });
  return (path) => {
    const methods = new Set<string>();
    for (const route of patterns.values())
      if (route.matches.test(path)) for (const method of route.methods) methods.add(method);
    return [...methods].toSorted();
  };
}

/** Converts `/v1/projects/:project_id` to an expression for the whole path. A trailing `*` matches the rest. */
function patternOf(url: string): RegExp {
  const source = url
    .split("/")
    .map((part) => (part.startsWith(":") ? "[^/]+" : part === "*" ? ".*" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("/");
  return new RegExp(`^${source}$`);
}

/** Another method on a known path gets 405 with `Allow` (RFC 9110 section 15.5.6). Other paths get 404. */
function absent(allowed: readonly string[]): Problem {
  if (allowed.length === 0) return new Problem("not_found", "There is nothing at this address.");
  const list = allowed.join(", ");
  return new HttpProblem("method_not_allowed", `This address accepts ${list}.`, { allow: list });
}

/**
 * A client that sends `Expect: 100-continue` gets 100 Continue only after the request was admitted. Refusals by
 * `onRequest` are sent before the body (RFC 9110 section 10.1.1).
 */
function refuseBeforeContinue(app: FastifyInstance, limits: DrainLimits, accessLog: AccessLog | undefined): void {
  const waiting = new WeakSet<IncomingMessage>();
  app.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    app.server.emit("request", request, response);
  });
  app.decorateReply("askForBody", function (this: FastifyReply) {
    if (waiting.delete(this.request.raw)) this.raw.writeContinue();
  });
  app.addHook("preParsing", async (_request, reply, payload) => {
    reply.askForBody();
    return payload;
  });
  // Closes the connection, because nobody knows whether the client sends the body after a refusal, or whether the body
  // is longer than the limit.
  const announceClose = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
    if (waiting.has(raw) || !isBodyDrained(raw, limits)) void reply.header("connection", "close");
  };
  app.addHook("onSend", (request, reply, _payload, done) => {
    announceClose(request, reply);
    accessLog?.begin(request, reply);
    done();
  });
  app.decorateReply("logStream", function (this: FastifyReply) {
    accessLog?.begin(this.request, this, true);
  });
  app.decorateReply("sendHead", function (this: FastifyReply, status, fields) {
    announceClose(this.request, this);
    void this.code(status).headers(fields);
    accessLog?.begin(this.request, this);
    this.raw.writeHead(status, this.getHeaders() as Record<string, string>);
    this.hijack();
    if (this.request.method === "HEAD") this.raw.end();
    return this;
  });
}

/** Collects requests with an `Expect` other than 100-continue. Without this listener, Node answers them itself. */
function collectExpectations(app: FastifyInstance): WeakSet<IncomingMessage> {
  const failing = new WeakSet<IncomingMessage>();
  app.server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    failing.add(request);
    app.server.emit("request", request, response);
  });
  return failing;
}

/**
 * Sets the status and header fields of an error answer, for a surface with its own error format. The caller sends the
 * body.
 */
export function answerProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): Problem {
  keepConnection(request, reply);
  return beginProblem(request, reply, error);
}

/**
 * Fastify closes the connection when it refuses a body. The connection is kept if the rest of the body is drained, see
 * `drainBody`.
 */
function keepConnection(request: FastifyRequest, reply: FastifyReply): void {
  if (isBodyDrained(request.raw)) void reply.removeHeader("connection");
}

function logAnswered(
  request: FastifyRequest,
  reply: FastifyReply,
  { slowRequestMs, logRequests = false }: Pick<HttpServerOptions, "slowRequestMs" | "logRequests">,
): void {
  const elapsedMs = Math.round(reply.elapsedTime);
  const level = logRequests || elapsedMs >= slowRequestMs ? "info" : "debug";
  const fields = {
    method: request.method,
    path: routeOf(request) ?? "unknown",
    status: countedStatus(request, reply),
    elapsed_ms: elapsedMs,
  };
  request.log[level](logRequests ? { ...fields, ...callerFields(request) } : fields, "request answered");
}

/** The fields of the access log. */
function callerFields(request: FastifyRequest): object {
  const { principal, session, signedIn, ip } = request;
  const actor = principal?.id ?? session?.userId ?? signedIn?.id ?? undefined;
  const organization = principal?.orgId ?? signedIn?.orgId;
  const agent = request.headers["user-agent"];
  return {
    ip,
    ...(actor === undefined ? {} : { actor }),
    ...(organization === undefined ? {} : { organization }),
    ...(agent === undefined ? {} : { user_agent: agent.slice(0, AGENT_CHARS_MAX) }),
  };
}

const AGENT_CHARS_MAX = 200;
