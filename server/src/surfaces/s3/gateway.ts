import { readFor } from "#kernel/read-for.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { FailureDelay } from "#domain/identity/index.ts";
import { S3Error, type Bucket, type S3Principal } from "#domain/s3/index.ts";
import { faultOfHost, isDisconnect, isBodyDrained } from "#http/index.ts";
import { newId } from "#kernel/ids.ts";
import { createS3Authenticator, type Authentication, type S3Authenticator } from "./auth/authenticate.ts";
import type { FormFields } from "./auth/form.ts";
import { kindOf } from "./auth/kinds.ts";
import { regionsOf } from "./auth/v4.ts";
import { createContext, type Answer, type Context, type S3GatewayDeps } from "./context.ts";
import { corsFields, preflight } from "./cors.ts";
import { errorDocument, hostIdOf, placeOfError, s3ErrorOf } from "./errors.ts";
import { fieldsOfS3, statusOfS3 } from "./wire/refusal.ts";
import { routeOf, type Row } from "./route.ts";
import { POST_OBJECT, ROWS } from "./routes.ts";
import { Fields } from "./wire/fields.ts";
import { createPeerReader, type Peer } from "./wire/peer.ts";
import type { Exchange } from "./wire/request.ts";
import { parseTarget, placeOf } from "./wire/target.ts";

/** Serves one request after the other; never rejects. */
export interface S3Gateway {
  handle(raw: IncomingMessage, response: ServerResponse): void;
  /** For a request with `Expect: 100-continue`, which gets 100 Continue once it is admitted. */
  handleExpecting(raw: IncomingMessage, response: ServerResponse): void;
}

/** The facts about each answered request. */
export interface Answered {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly elapsedMs: number;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly ip: string | null;
  readonly userAgent: string | undefined;
  /** It came too fast. */
  readonly isLimited: boolean;
  /** The organization of the key that signed it. */
  readonly orgId: string | undefined;
  readonly principalId: string | undefined;
}

export function createS3Gateway(deps: S3GatewayDeps, answered: (about: Answered) => void = () => {}): S3Gateway {
  const { settings, domain, clock } = deps;
  const authenticator = createS3Authenticator({
    keys: domain.keys,
    failures: new FailureDelay(clock, settings.failedSignaturesMax),
    nowMs: () => clock.nowMs(),
    regions: regionsOf(settings.region),
    v2: settings.signatureV2,
    publicHost: new URL(settings.endpoint).host,
  });
  const peerOf = createPeerReader(settings.trustedProxies);
  const handle = (raw: IncomingMessage, response: ServerResponse, expects: boolean): void => {
    const startedMs = performance.now();
    const service = new Service(deps, authenticator, peerOf, raw, response, expects);
    void service.serve().finally(() => {
      const { operation, requestId, principal, isLimited } = service;
      answered({
        operation,
        requestId,
        isLimited,
        ip: peerOf(raw).ip,
        userAgent: raw.headers["user-agent"],
        traceparent: raw.headers["traceparent"]?.toString(),
        orgId: principal?.orgId ?? undefined,
        principalId: principal?.kind === "key" ? principal.id : undefined,
        method: raw.method ?? "",
        status: response.statusCode,
        elapsedMs: performance.now() - startedMs,
      });
    });
  };
  return {
    handle: (raw, response) => handle(raw, response, false),
    handleExpecting: (raw, response) => handle(raw, response, true),
  };
}

/** One request on its way. */
class Service {
  /** Its name once it is known. */
  operation = "unknown";
  /** Once it is known. */
  principal: S3Principal | undefined;
  /** It came too fast. */
  isLimited = false;
  readonly requestId: string;
  readonly #deps: S3GatewayDeps;
  readonly #authenticator: S3Authenticator;
  readonly #peerOf: (raw: IncomingMessage) => Peer;
  readonly #raw: IncomingMessage;
  readonly #response: ServerResponse;
  #isWaiting: boolean;
  #exchange: Exchange | undefined;
  #bucket: Bucket | null = null;

  constructor(
    deps: S3GatewayDeps,
    authenticator: S3Authenticator,
    peerOf: (raw: IncomingMessage) => Peer,
    raw: IncomingMessage,
    response: ServerResponse,
    isWaiting: boolean,
  ) {
    this.#deps = deps;
    this.#authenticator = authenticator;
    this.#peerOf = peerOf;
    this.#raw = raw;
    this.#response = response;
    this.#isWaiting = isWaiting;
    this.requestId = newId("req", deps.clock.nowMs());
  }

  async serve(): Promise<void> {
    try {
      this.#exchange = this.#read();
      const answer = await this.#answer(this.#exchange);
      try {
        await this.#send(this.#exchange, answer);
      } catch (error) {
        await answer.release?.();
        throw error;
      }
    } catch (error) {
      this.#refuse(error);
    }
  }

  #read(): Exchange {
    const { settings } = this.#deps;
    const raw = this.#raw;
    const fields = Fields.fromRaw(raw.rawHeaders);
    const target = parseTarget(raw.url ?? "");
    const fault = faultOfHost(raw);
    const host = fields.get("host");
    if (fault !== undefined || host === undefined)
      throw new S3Error("InvalidRequest", fault ?? "The header field Host is missing.");
    return {
      raw,
      response: this.#response,
      method: raw.method ?? "",
      target,
      fields,
      ...placeOf(target.path, host, settings.domain),
      requestId: this.requestId,
      ...this.#peerOf(raw),
      goOn: () => {
        if (this.#isWaiting) this.#response.writeContinue();
        this.#isWaiting = false;
      },
    };
  }

  async #answer(exchange: Exchange): Promise<Answer> {
    if (exchange.method === "OPTIONS") {
      this.operation = "preflight";
      return preflight(this.#deps, exchange);
    }
    if (kindOf(exchange) === "form") return this.#answerForm(exchange);
    const auth = await this.#authenticate(exchange);
    const row = routeOf(ROWS, exchange);
    this.operation = row.name;
    const context = await this.#contextFor(row, exchange, auth);
    return readFor(context.principal.orgId ?? "", async () => row.run(context));
  }

  async #answerForm(exchange: Exchange): Promise<Answer> {
    this.operation = POST_OBJECT.name;
    if (exchange.bucket === "") throw new S3Error("MethodNotAllowed");
    exchange.goOn();
    return POST_OBJECT.run(this.#deps, exchange, async (form, key, fields) => {
      const auth = await this.#authenticate(exchange, form);
      this.#bucket = await this.#deps.domain.buckets.find(auth.principal, exchange.bucket);
      return createContext(this.#deps, { ...exchange, key }, { ...auth, fields }, this.#bucket);
    });
  }

  async #authenticate(exchange: Exchange, form?: FormFields): Promise<Authentication> {
    const auth = await this.#authenticator.authenticate(exchange, form);
    const { principal } = auth;
    this.principal = principal;
    try {
      this.#deps.count(principal.kind === "key" ? principal.id : `address ${exchange.ip ?? "unknown"}`);
    } catch (error) {
      this.isLimited = true;
      throw error;
    }
    return auth;
  }

  /**
   * Finds the bucket and checks the one permission that the operation always needs, before anything else is revealed.
   */
  async #contextFor(row: Row, exchange: Exchange, auth: Authentication): Promise<Context> {
    const { buckets } = this.#deps.domain;
    const hasBucket = row.level !== "service" && row.makesBucket !== true;
    if (hasBucket) this.#bucket = await buckets.find(auth.principal, exchange.bucket);
    const context = createContext(this.#deps, exchange, auth, this.#bucket);
    requireOwner(context, this.#bucket);
    await requirePermission(row, context);
    return context;
  }

  async #send(exchange: Exchange, answer: Answer): Promise<void> {
    const { status = 200, headers = {}, body, send } = answer;
    const all = { ...this.#commonFields(), ...headers };
    // Bytes: a text would have the head encoded as it is itself, and fields are one character a byte.
    const bytes = body === undefined ? undefined : Buffer.from(body);
    if (bytes !== undefined) {
      all["content-type"] ??= "application/xml";
      all["content-length"] = String(bytes.length);
    } else if (send === undefined && status !== 204 && status !== 304) all["content-length"] ??= "0";
    this.#announceEnd(all);
    this.#response.writeHead(status, all);
    if (exchange.method === "HEAD") this.#response.end();
    else if (send === undefined) this.#response.end(bytes);
    else await send(this.#response);
  }

  #commonFields(): Record<string, string> {
    const requestId = this.requestId;
    const origin = this.#exchange?.fields.all("origin")[0];
    return {
      "x-amz-request-id": requestId,
      "x-amz-id-2": hostIdOf(requestId),
      "request-id": requestId,
      ...(origin === undefined || this.#bucket === null ? {} : corsFields(this.#bucket, this.#raw, origin)),
    };
  }

  /**
   * A sender that waits for 100 Continue may send the body or not, and a rest beyond the limit is cut: only closing the
   * connection is clear.
   */
  #announceEnd(headers: Record<string, string>): void {
    if (this.#raw.complete) return;
    if (this.#isWaiting || !isBodyDrained(this.#raw)) headers["connection"] = "close";
  }

  #refuse(cause: unknown): void {
    const error = s3ErrorOf(cause);
    const response = this.#response;
    if (error.code === "InternalError") this.#logFailure(error.options.cause ?? error);
    if (response.headersSent) {
      // A cut connection is the only way left to say that the content is not whole.
      response.destroy();
      return;
    }
    const headers = { ...this.#commonFields(), ...fieldsOfS3(error) };
    const isBare = this.#raw.method === "HEAD" || statusOfS3(error) === 304;
    const text = isBare ? "" : errorDocument(error, placeOfError(this.#exchange, this.requestId));
    if (!isBare) {
      headers["content-type"] = "application/xml";
      headers["content-length"] = String(Buffer.byteLength(text));
    }
    this.#announceEnd(headers);
    response.writeHead(statusOfS3(error), headers).end(text);
  }

  #logFailure(err: unknown): void {
    const fields = { err, req: this.requestId, operation: this.operation };
    if (isDisconnect(err, this.#raw)) this.#deps.log.debug(fields, "the client of an S3 request went away");
    else this.#deps.log.error(fields, "cannot answer an S3 request");
  }
}

/** Before a byte of the body is read. */
async function requirePermission({ action, versionAction, orAction, untold }: Row, context: Context): Promise<void> {
  const asked = (context.versionId === undefined ? undefined : versionAction) ?? action;
  if (asked === null) return;
  const about = untold === undefined ? {} : { untold };
  if (orAction !== undefined && (await context.allows(orAction, about))) return;
  await context.require(asked, about);
}

/** `x-amz-expected-bucket-owner`: the caller's own check against a bucket of somebody else with the same name. */
function requireOwner({ fields }: Context, bucket: Bucket | null): void {
  const expected = fields.get("x-amz-expected-bucket-owner");
  if (expected !== undefined && bucket !== null && expected !== bucket.owner.id) throw new S3Error("AccessDenied");
}
