import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "#kernel/problem.ts";
import { isDisconnect, principalOf } from "#http/index.ts";
import type { OauthSurfaceDeps } from "./deps.ts";
import { notAForm, oauthErrorOf, renderError, type Answer } from "./errors.ts";
import type { OauthOperation, OauthRequest } from "./model.ts";
import { introspect, revoke, token } from "./operations/tokens.ts";
import { deviceAuthorization } from "./operations/logins.ts";
import { jwks, serverMetadata } from "./operations/metadata.ts";
import { FORM_BYTES_MAX, parseForm, type Form } from "./wire/form.ts";

interface OauthRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly operation: OauthOperation;
  /** Whether an access token may replace the client's secret. */
  readonly bearer?: boolean;
}

/** The listener treats all as public: the POSTs authenticate the client themselves, as their specifications require. */
export const OAUTH_ROUTES: readonly OauthRoute[] = [
  { method: "POST", path: "/oauth/token", operation: token },
  { method: "POST", path: "/oauth/device_authorization", operation: deviceAuthorization },
  { method: "POST", path: "/oauth/introspect", operation: introspect, bearer: true },
  { method: "POST", path: "/oauth/revoke", operation: revoke },
  { method: "GET", path: "/.well-known/oauth-authorization-server", operation: serverMetadata },
  { method: "GET", path: "/.well-known/jwks.json", operation: jwks },
];

const FORM = "application/x-www-form-urlencoded";
const NO_FORM: Form = new Map();

export function mountRoutes(app: FastifyInstance, deps: OauthSurfaceDeps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM, { parseAs: "buffer", bodyLimit: FORM_BYTES_MAX }, (_request, body, done) =>
    done(null, body),
  );
  app.addContentTypeParser("*", (_request, _payload, done) => done(notAForm()));
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  for (const row of OAUTH_ROUTES) {
    app.route({
      method: row.method,
      url: row.path,
      bodyLimit: FORM_BYTES_MAX,
      handler: async (request, reply) => {
        const byToken = row.bearer === true && /^Bearer /i.test(request.headers.authorization ?? "");
        if (byToken) await deps.host.admit(request, reply, "authenticated");
        return send(reply, await row.operation(deps, oauthRequestOf(deps, request, reply, byToken)));
      },
    });
  }
}

function oauthRequestOf(
  deps: OauthSurfaceDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  byToken: boolean,
): OauthRequest {
  return {
    form: request.method === "POST" ? formOf(request.body) : NO_FORM,
    authorization: request.headers.authorization,
    principal: byToken ? principalOf(request) : null,
    countAddress: () => deps.host.countAddress(reply, request.ip),
    countSignIn: (credential) => deps.host.countSignIn(reply, credential),
    ip: request.ip,
    requestId: request.id,
  };
}

function formOf(body: unknown): Form {
  if (!Buffer.isBuffer(body)) throw notAForm();
  return parseForm(body);
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  void reply.code(answer.status).headers(answer.headers);
  if (answer.body === undefined) return reply.send();
  return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(answer.body));
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = oauthErrorOf(error);
  const options = error instanceof Problem ? error.options : {};
  request.refusal = { code: refusal.code, detail: refusal.message, options: { ...options, cause: refusal.cause } };
  const { code, cause } = refusal;
  if (code === "server_error" && !isDisconnect(cause, request.raw))
    request.log.error({ err: refusal.cause }, "request failed unexpectedly");
  return send(reply, renderError(refusal));
}
