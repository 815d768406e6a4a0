import type { IncomingMessage } from "node:http";
import { FailureDelay } from "#domain/identity/index.ts";
import { S3Error, type Bucket } from "#domain/s3/index.ts";
import { readFor } from "#kernel/read-for.ts";
import { noteAccess, noteBroken, type Accessed } from "#http/index.ts";
import { accessOf, placeIn } from "./access.ts";
import { createS3Authenticator, type Authentication, type S3Authenticator } from "./auth/authenticate.ts";
import type { FormFields } from "./auth/form.ts";
import { kindOf } from "./auth/kinds.ts";
import { regionsOf } from "./auth/v4.ts";
import { createContext, type Answer, type Context, type S3GatewayDeps } from "./context.ts";
import { corsFields, preflight } from "./cors.ts";
import { clearHead, idFields, logBug, sendBytes, sendError } from "./errors.ts";
import { routeOf, type Row } from "./route.ts";
import { POST_OBJECT, ROWS } from "./routes.ts";
import { Fields } from "./wire/fields.ts";
import { createPeerReader, type Peer } from "./wire/peer.ts";
import type { Exchange, Reply, Request } from "./wire/request.ts";
import { parseTarget, placeOf } from "./wire/target.ts";

/** Answers requests; never throws. */
export interface S3Gateway {
  handle(request: Request, reply: Reply): void;
}

export function createS3Gateway(deps: S3GatewayDeps): S3Gateway {
  const { settings, domain, clock } = deps;
  const authenticator = createS3Authenticator({
    keys: domain.keys,
    failures: new FailureDelay(clock, settings.failedSignaturesMax),
    nowMs: () => clock.nowMs(),
    regions: regionsOf(settings.region),
    v2: settings.signatureV2,
    publicHost: new URL(settings.endpoint).host,
  });
  const parts = { deps, authenticator, peerOf: createPeerReader(settings.trustedProxies) };
  return { handle: (request, reply) => void new Service(parts, request, reply).serve() };
}

interface Parts {
  readonly deps: S3GatewayDeps;
  readonly authenticator: S3Authenticator;
  readonly peerOf: (raw: IncomingMessage) => Peer;
}

/** The handling of one request. */
class Service {
  readonly #deps: S3GatewayDeps;
  readonly #parts: Parts;
  readonly #request: Request;
  readonly #reply: Reply;
  #exchange: Exchange | undefined;
  #bucket: Bucket | null = null;

  constructor(parts: Parts, request: Request, reply: Reply) {
    this.#deps = parts.deps;
    this.#parts = parts;
    this.#request = request;
    this.#reply = reply;
  }

  async serve(): Promise<void> {
    try {
      this.#exchange = this.#read();
      const answer = await this.#answer(this.#exchange);
      try {
        await this.#send(answer);
      } catch (error) {
        await answer.release?.();
        clearHead(this.#reply);
        throw error;
      }
    } catch (error) {
      this.#refuse(error);
    }
  }

  #read(): Exchange {
    const { id: requestId, raw } = this.#request;
    const fields = Fields.fromRaw(raw.rawHeaders);
    const target = parseTarget(raw.url ?? "");
    const host = fields.get("host");
    if (host === undefined) throw new S3Error("InvalidRequest", "The header field Host is missing.");
    return {
      raw,
      method: raw.method ?? "",
      target,
      fields,
      ...placeOf(target.path, host, this.#deps.settings.domain),
      requestId,
      ...this.#parts.peerOf(raw),
      requestBody: () => this.#reply.askForBody(),
      noteBroken: (error) => noteBroken(this.#request, error),
    };
  }

  async #answer(exchange: Exchange): Promise<Answer> {
    if (exchange.method === "OPTIONS") {
      this.#name("preflight");
      return preflight(this.#deps, exchange);
    }
    if (kindOf(exchange) === "form") return this.#answerForm(exchange);
    const auth = await this.#authenticate(exchange);
    const row = routeOf(ROWS, exchange);
    this.#name(row.name);
    const about = accessOf(row.name, exchange, auth);
    this.#note(about);
    const context = await this.#contextFor(row, exchange, auth);
    this.#note(about);
    return readFor(context.principal.orgId ?? "", async () => row.run(context));
  }

  #name(operation: string): void {
    this.#request.operation = `s3 ${operation}`;
  }

  /** Names the object for the access log. The project is known once the bucket is. */
  #note(about: Accessed | undefined): void {
    if (about === undefined) return;
    noteAccess(this.#request, this.#bucket === null ? about : { ...about, ...placeIn(this.#bucket) });
  }

  async #answerForm(exchange: Exchange): Promise<Answer> {
    this.#name(POST_OBJECT.name);
    if (exchange.bucket === "") throw new S3Error("MethodNotAllowed");
    exchange.requestBody();
    return POST_OBJECT.run(this.#deps, exchange, async (form, key, fields) => {
      const auth = await this.#authenticate(exchange, form);
      this.#bucket = await this.#deps.domain.buckets.find(auth.principal, exchange.bucket);
      this.#note(accessOf(POST_OBJECT.name, { ...exchange, key }, auth));
      return createContext(this.#deps, { ...exchange, key }, { ...auth, fields }, this.#bucket);
    });
  }

  async #authenticate(exchange: Exchange, form?: FormFields): Promise<Authentication> {
    const auth = await this.#parts.authenticator.authenticate(exchange, form);
    const { principal } = auth;
    const { orgId } = principal;
    const id = principal.kind === "key" ? principal.id : null;
    this.#request.signedIn = orgId === null ? null : { id, orgId };
    try {
      this.#deps.count(id ?? `address ${exchange.ip ?? "unknown"}`);
    } catch (error) {
      this.#request.isLimited = true;
      throw error;
    }
    return auth;
  }

  /** Finds the bucket and checks the permission of the row before anything else is revealed. */
  async #contextFor(row: Row, exchange: Exchange, auth: Authentication): Promise<Context> {
    const { buckets } = this.#deps.domain;
    const hasBucket = row.level !== "service" && row.makesBucket !== true;
    if (hasBucket) this.#bucket = await buckets.find(auth.principal, exchange.bucket);
    const context = createContext(this.#deps, exchange, auth, this.#bucket);
    requireOwner(context, this.#bucket);
    await requirePermission(row, context);
    return context;
  }

  async #send({ status = 200, headers = {}, body, send }: Answer): Promise<void> {
    const reply = this.#reply;
    const all = { ...this.#commonFields(), ...headers };
    if (send !== undefined) {
      reply.sendHead(status, all);
      if (reply.request.method !== "HEAD") await send(reply.raw);
      return;
    }
    if (body !== undefined) all["content-type"] ??= "application/xml";
    else if (status !== 204 && status !== 304) all["content-length"] ??= "0";
    sendBytes(reply.code(status).headers(all), body);
  }

  #commonFields(): Record<string, string> {
    const origin = this.#exchange?.fields.all("origin")[0];
    return {
      ...idFields(this.#request.id),
      ...(origin === undefined || this.#bucket === null ? {} : corsFields(this.#bucket, this.#request.raw, origin)),
    };
  }

  #refuse(cause: unknown): void {
    // The head was sent. Cutting the connection is the only way to tell the client that the content is incomplete.
    if (this.#reply.raw.headersSent) {
      logBug(this.#request, cause);
      this.#reply.raw.destroy();
    } else {
      void this.#reply.headers(this.#commonFields());
      sendError(this.#request, this.#reply, cause, this.#exchange?.target.path);
    }
  }
}

/** Checks the row's permission before a byte of the body is read. */
async function requirePermission({ action, versionAction, orAction, unread }: Row, context: Context): Promise<void> {
  const asked = (context.versionId === undefined ? undefined : versionAction) ?? action;
  if (asked === null) return;
  const about = unread === undefined ? {} : { unread };
  if (orAction !== undefined && (await context.allows(orAction, about))) return;
  await context.require(asked, about);
}

/** Checks `x-amz-expected-bucket-owner`: a client sends it to avoid a bucket of the same name with another owner. */
function requireOwner({ fields }: Context, bucket: Bucket | null): void {
  const expected = fields.get("x-amz-expected-bucket-owner");
  if (expected !== undefined && bucket !== null && expected !== bucket.owner.id) throw new S3Error("AccessDenied");
}
