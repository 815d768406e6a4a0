import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  isHarmless,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
  type ResultOf,
  type Route,
  type Scope,
} from "@mooring/contract";
import { requireUnlimited, type Principal } from "#domain/identity/index.ts";
import { JSON_BODY_BYTES_MAX, PUBLIC_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { readFor } from "#kernel/read-for.ts";
import { principalOf } from "./authentication.ts";
import { noteBroken } from "./broken.ts";
import { CallerGone } from "./disconnect.ts";
import { hasToken, type HttpHost } from "./host.ts";
import { idempotent } from "./idempotency.ts";
import { operatorOf, sessionOf, type ActingOperator, type PersonSession } from "./sessions.ts";
import { bodyCheck, parameterCheck, type Check } from "./validate.ts";

/** The arguments of an operation other than its input. */
export interface OperationContext {
  /** Throws on a route that accepts no access token, because it has no principal. */
  readonly principal: Principal;
  /** Throws on a route whose permission is not `session`. */
  readonly session: PersonSession;
  /** Throws on a route whose permission is not `instance`. */
  readonly operator: ActingOperator;
  readonly requestId: string;
  /** The peer's address. Forwarded fields count only when the peer is a configured proxy. */
  readonly ip: string;
  /** Aborted when the caller disconnects before the answer is complete. */
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Returns the actor and the origin of the request in the form of the domain. */
export function callerOf({ principal, ip, requestId }: OperationContext): {
  readonly principal: Principal;
  readonly ip: string;
  readonly requestId: string;
} {
  return { principal, ip, requestId };
}

export interface OperationInput<T> {
  readonly params: ParamsOf<T>;
  readonly query: QueryOf<T>;
  readonly body: BodyOf<T>;
}

/** The operation of a row `T`. `Deps` are the dependencies of its surface. */
export type Operation<Deps, T> = (
  deps: Deps,
  input: OperationInput<T>,
  context: OperationContext,
) => Promise<ResultOf<T>> | ResultOf<T>;

type BoundOperation<T> = (input: OperationInput<T>, context: OperationContext) => Promise<ResultOf<T>> | ResultOf<T>;

/** A row of the contract. */
type AnyRoute = Pick<
  Route,
  "operationId" | "method" | "path" | "tag" | "summary" | "permission" | "status" | "problems"
> &
  Partial<
    Pick<
      Route,
      | "params"
      | "query"
      | "body"
      | "result"
      | "idempotent"
      | "rawBody"
      | "secret"
      | "sameOrigin"
      | "recentSignIn"
      | "resource"
      | "access"
      | "endsAccess"
      | "whileDeleting"
    >
  >;

interface MountOptions<T> {
  /** Replaces the admission by the permission of the row. */
  readonly admit?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly bodyBytesMax?: number;
  /** Builds the answer to a repetition, if the first answer becomes invalid before its record expires. */
  readonly replayed?: (
    result: ResultOf<T>,
    input: OperationInput<T>,
    context: OperationContext,
  ) => Promise<ResultOf<T>>;
}

/**
 * Binds a row of the contract to its operation. The order of the checks: origin, authentication and scope, limits
 * (before the body is read), recent confirmation, validation, idempotency, operation.
 */
export function mountRoute<const T extends AnyRoute>(
  app: FastifyInstance,
  host: HttpHost,
  row: T,
  operation: BoundOperation<T>,
  options: MountOptions<T> = {},
): void {
  const checks = checksOf(row);
  app.route({
    method: row.method,
    url: row.path.replace(/\{([a-z_]+)\}/g, ":$1"),
    bodyLimit: options.bodyBytesMax ?? (row.permission === "public" ? PUBLIC_BODY_BYTES_MAX : JSON_BODY_BYTES_MAX),
    config: { operationId: row.operationId, access: row.access },
    onRequest: async (request, reply) => {
      if (isFromPortalOnly(row, request)) host.requireSameOrigin(request);
      if (options.admit !== undefined) await options.admit(request, reply);
      else await host.admit(request, reply, row.permission, { isHarmless: isHarmless(row), keeps: row.whileDeleting });
      if (row.resource === "unlimited") requireUnlimited(principalOf(request), row.permission as Scope);
      if (row.recentSignIn === true && !isDryRun(row, request)) host.requireConfirmed(request);
    },
    onSend: async (request, reply, payload) =>
      row.secret === true || typeof payload !== "string" ? payload : host.compression.text(request, reply, payload),
    handler: async (request, reply) => {
      const input = inputOf(request, checks) as OperationInput<T>;
      const context = contextOf(request, reply);
      const run = async (): Promise<unknown> =>
        readFor(request.principal?.orgId ?? "", () => operation(input, context));
      const { replayed } = options;
      const again = replayed && ((first: unknown) => replayed(first as ResultOf<T>, input, context));
      let result: unknown;
      try {
        result = row.idempotent === true ? await idempotent(host, row, request, reply, run, again) : await run();
      } catch (error) {
        if (!reply.raw.headersSent) throw error;
        return leaveBroken(request, reply, error);
      }
      if (reply.sent) return reply;
      if (reply.raw.headersSent) return leaveBroken(request, reply);
      if (row.status === 204) return reply.code(204).send();
      return reply.code(reply.statusCode === 200 ? row.status : reply.statusCode).send(result);
    },
  });
}

/** Binds each row to the operation with its name. Each operation gets the dependencies of the surface. */
export function mountRoutes<
  const Rows extends Readonly<Record<string, AnyRoute>>,
  Deps extends { readonly host: HttpHost },
>(
  app: FastifyInstance,
  deps: Deps,
  rows: Rows,
  operations: { readonly [Name in keyof Rows]: Operation<Deps, Rows[Name]> },
): void {
  for (const [name, row] of Object.entries(rows)) {
    const operation = operations[name] as Operation<Deps, AnyRoute>;
    mountRoute(app, deps.host, row, (input, context) => operation(deps, input, context));
  }
}

/** A dry run changes nothing and shows only what the caller may see, so a person needs no recent proof for it. */
function isDryRun({ query }: AnyRoute, request: FastifyRequest): boolean {
  return query?.properties["dry_run"] !== undefined && (request.query as Record<string, unknown>)["dry_run"] === "true";
}

/** Closes the connection of an answer that has begun and can't be completed, so that the client sees the failure. */
function leaveBroken(request: FastifyRequest, reply: FastifyReply, error?: unknown): void {
  if (error !== undefined && noteBroken(request, error))
    request.log.info({ err: error }, "could not complete an answer");
  reply.hijack();
  reply.raw.destroy();
}

/**
 * Browsers send the session cookie with every request to this host, so requests that change something must come from
 * the portal.
 */
function isFromPortalOnly(row: AnyRoute, request: FastifyRequest): boolean {
  if (row.sameOrigin === true) return true;
  if (row.permission === "instance" && hasToken(request)) return false;
  return (row.permission === "session" || row.permission === "instance") && row.method !== "GET";
}

interface Checks {
  readonly params: Check | undefined;
  readonly query: Check;
  readonly body: Check | undefined;
}

const NO_QUERY: Check = (value) => {
  const [name] = Object.keys(value as object);
  if (name === undefined) return {};
  throw unknownParameter(name);
};

function checksOf(row: AnyRoute): Checks {
  return {
    params: row.params === undefined ? undefined : parameterCheck(row.params),
    query: row.query === undefined ? NO_QUERY : queryCheck(row.query),
    body: row.body === undefined || row.rawBody === true ? undefined : bodyCheck(row.body),
  };
}

/** Refuses unknown parameters, because a request with a misspelt filter would return everything. */
function queryCheck(schema: NonNullable<Route["query"]>): Check {
  const check = parameterCheck(schema);
  const names = new Set(Object.keys(schema.properties));
  const patterns = Object.keys((schema as { patternProperties?: object }).patternProperties ?? {}).map(
    (pattern) => new RegExp(pattern),
  );
  const isKnown = (name: string): boolean => names.has(name) || patterns.some((pattern) => pattern.test(name));
  return (value) => {
    for (const name of Object.keys(value as object)) if (!isKnown(name)) throw unknownParameter(name);
    return check(value);
  };
}

function unknownParameter(name: string): Problem {
  return new Problem("invalid_parameter", "A parameter is unknown.", {
    errors: [
      {
        pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        detail: "is not a parameter of this operation",
      },
    ],
  });
}

function inputOf(request: FastifyRequest, checks: Checks): { params: unknown; query: unknown; body: unknown } {
  const params = checks.params === undefined ? {} : checks.params(request.params);
  const query = checks.query(request.query);
  if (checks.body === undefined) return { params, query, body: undefined };
  if (request.body === undefined) throw new Problem("invalid_body", "The body is missing; send a JSON object.");
  return { params, query, body: checks.body(request.body) };
}

function contextOf(request: FastifyRequest, reply: FastifyReply): OperationContext {
  return {
    get principal() {
      return principalOf(request);
    },
    get session() {
      return sessionOf(request);
    },
    get operator() {
      return operatorOf(request);
    },
    requestId: request.id,
    ip: request.ip,
    signal: signalOf(reply),
    request,
    reply,
  };
}

/** Aborts when the connection closes before the answer is complete. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort(new CallerGone());
  });
  return controller.signal;
}
