/** The surface on a separate listener, with a real identity behind it. */
import { pino } from "pino";
import { Metrics } from "#kernel/metrics/index.ts";
import { trustedClock } from "#kernel/testing.ts";
import type { Identity, IdentityOptions } from "#domain/identity/index.ts";
import { createPeople, type PeopleDeps } from "#domain/people/index.ts";
import { credentialOf, openGround, type Ground } from "#domain/identity/testing.ts";
import {
  createHttpHost,
  createHttpMetrics,
  createHttpServer,
  openListener,
  type HttpHostOptions,
  type IdempotencyRecords,
} from "#http/index.ts";
import { createOauthSurface } from "./index.ts";

export interface OauthServer {
  readonly url: string;
  readonly ground: Ground;
  readonly identity: Identity;
  readonly people: PeopleDeps;
  client(options?: Parameters<typeof credentialOf>[1]): Promise<{ id: string; clientId: string; clientSecret: string }>;
  /** POSTs a form; `basic` and `bearer` make the `Authorization` field. */
  post(
    path: string,
    form: Record<string, string> | string,
    options?: { basic?: string; bearer?: string; type?: string },
  ): Promise<OauthAnswer>;
  /** A token by client_secret_post. */
  token(client: { clientId: string; clientSecret: string }, scope?: string): Promise<string>;
  close(): Promise<void>;
}

export interface OauthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** A JSON body; otherwise empty. */
  readonly body: Record<string, unknown>;
}

export async function openOauthServer(
  options: {
    ground?: Parameters<typeof openGround>[0];
    identity?: Partial<IdentityOptions>;
    rateLimit?: HttpHostOptions["rateLimit"];
  } = {},
): Promise<OauthServer> {
  const ground = await openGround(options.ground);
  const listener = await openListener("127.0.0.1:0");
  const url = `http://${listener.address}`;
  const identity = await ground.node({ issuer: url, audience: url, ...options.identity });
  const { clock } = ground;
  const idempotency: IdempotencyRecords = {
    during: async (_claim, _status, run) => run(),
    leaving: async () => undefined,
    begin: async () => ({ claim: { keyHash: "", owner: "" } }),
    complete: async () => undefined,
    abandon: async () => undefined,
  };
  const host = createHttpHost({
    authenticator: identity.authenticator,
    idempotency,
    clock,
    rateLimit: options.rateLimit ?? { perSecond: 1000, burst: 2000 },
  });
  const trusted = trustedClock(clock);
  const people = createPeople({ metadata: ground.metadata, clock: trusted, identity, portalUrl: url, oidc: null });
  const surfaces = [createOauthSurface({ host, identity, people, portalUrl: url })];
  await createHttpServer({
    listener,
    log: pino({ level: "silent" }),
    clock,
    metrics: createHttpMetrics(new Metrics()),
    surfaces,
    trustedProxies: [],
    slowRequestMs: 1000,
  });
  const post: OauthServer["post"] = async (path, form, how = {}) => {
    const authorization = how.bearer === undefined ? basicOf(how.basic) : `Bearer ${how.bearer}`;
    const headers = {
      "content-type": how.type ?? "application/x-www-form-urlencoded",
      ...(authorization === undefined ? {} : { authorization }),
    };
    const body = typeof form === "string" ? form : new URLSearchParams(form).toString();
    return answerOf(await fetch(url + path, { method: "POST", headers, body }));
  };
  return {
    url,
    ground,
    identity,
    people,
    client: (options_) => credentialOf(identity, options_),
    post,
    token: async (client, scope) => {
      const form = { grant_type: "client_credentials", client_id: client.clientId, client_secret: client.clientSecret };
      const answer = await post("/oauth/token", scope === undefined ? form : { ...form, scope });
      if (answer.status !== 200) throw new Error(`no token: ${answer.text}`);
      return String(answer.body["access_token"]);
    },
    close: async () => {
      await listener.stop(1000);
      await ground.close();
    },
  };
}

export async function answerOf(response: Response): Promise<OauthAnswer> {
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

function basicOf(userInfo: string | undefined): string | undefined {
  return userInfo === undefined ? undefined : `Basic ${Buffer.from(userInfo).toString("base64")}`;
}
