import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import {
  isIngestKey,
  requireAnywhere,
  requireOrganization,
  type Authenticator,
  type Principal,
  type SenderProjects,
  type Senders,
} from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { principalOf } from "./authentication.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The id of the project that a sender of telemetry named for all rows of the request. Null: none. */
    namedProject: string | null;
  }
}

/** The field, and the metadata of gRPC, with which a sender names a project: its slug or id. */
const PROJECT_FIELD = "x-mooring-project";

/** The places in which senders of telemetry put their key, in addition to `Authorization`. */
const FIELDS = ["x-api-key", "api-key", "dd-api-key", "x-amz-firehose-access-key"] as const;

/** What a request shows: an ingest key, an access token, or text that is neither. */
interface Shown {
  readonly kind: "key" | "token" | "other" | "nothing";
  readonly secret: string;
}

/**
 * Returns the secret of a sender. An ingest key is taken from `Authorization` (Bearer, Basic as the user or the password,
 * ApiKey, Splunk) and from the fields of agents. An access token is taken as Bearer only (RFC 6750 section 2.1).
 */
export function secretOf(headers: IncomingHttpHeaders): Shown {
  const [scheme = "", value = ""] = partsOf(headers.authorization ?? "");
  const texts = FIELDS.flatMap((name) => headers[name] ?? []);
  const shown = [...candidatesOf(scheme, value), ...texts];
  const key = shown.find(isIngestKey);
  if (key !== undefined) return { kind: "key", secret: key };
  if (scheme === "bearer" && /^[\w\-.~+/]+=*$/.test(value)) return { kind: "token", secret: value };
  return { kind: scheme === "" && texts.length === 0 ? "nothing" : "other", secret: "" };
}

/** Splits `Authorization` into its scheme in lower case and its value. */
function partsOf(field: string): readonly string[] {
  const text = field.trim();
  const space = text.indexOf(" ");
  return space < 0 ? [text.toLowerCase()] : [text.slice(0, space).toLowerCase(), text.slice(space).trim()];
}

/** Returns the texts of `Authorization` that may be a key. Elasticsearch clients send `ApiKey base64(id:key)` or the key itself. */
function candidatesOf(scheme: string, value: string): readonly string[] {
  if (scheme === "bearer" || scheme === "splunk") return [value];
  if (scheme !== "basic" && scheme !== "apikey") return [];
  const pair = Buffer.from(value, "base64").toString();
  const colon = pair.indexOf(":");
  return [value, pair.slice(0, colon), pair.slice(colon + 1)];
}

/**
 * Authenticates a sender of telemetry. It has the permission `telemetry:write` for some resource.
 * @throws Problem as `Senders.authenticate`, and those of the authenticator for access tokens
 */
export async function admitSender(
  request: FastifyRequest,
  {
    senders,
    authenticator,
  }: { readonly senders?: Pick<Senders, "authenticate">; readonly authenticator: Authenticator },
): Promise<Principal> {
  const { kind, secret } = secretOf(request.headers);
  const origin = { ip: request.ip, requestId: request.id };
  if (kind === "key" && senders !== undefined) {
    const known = (key: { id: string; orgId: string }): void => void (request.signedIn = key);
    request.principal = await senders.authenticate({ ...origin, secret, origin: request.headers.origin, known });
    return request.principal;
  }
  if (kind !== "token") throw notShown(kind);
  const principal = await authenticator.authenticate(secret, origin);
  request.principal = principal;
  requireAnywhere(principal, "telemetry:write");
  return principal;
}

/**
 * Returns the id of the project that the request names; null if it names none.
 * @throws Problem `not_found`, `project_archived` and those of other states, `unavailable`
 */
export async function namedProjectOf(
  { headers }: Pick<FastifyRequest, "headers">,
  principal: Principal,
  projects: Pick<SenderProjects, "find"> | undefined,
): Promise<string | null> {
  const name = headers[PROJECT_FIELD];
  if (name === undefined) return null;
  if (projects === undefined) throw new Error("no projects: a sender named one, but no route takes them");
  return projects.find(principal, String(name));
}

/** The sender of a request, and the projects of its rows. */
export interface Sender {
  readonly principal: Principal;
  /** The project of the rows; null: they have none. In OTLP, a resource may name another one. */
  readonly projectId: string | null;
  /** The project that the request names. */
  readonly namedProject: string | null;
  /** Why the sender may not send rows without a project. Absent: it may, or the rows have one. */
  readonly refusal?: Problem;
}

/** Returns the sender for a protocol whose records may name projects by themselves. */
export function senderOf(request: FastifyRequest): Sender {
  const { namedProject } = request;
  const principal = principalOf(request);
  const projectId = namedProject ?? (principal.kind === "credential" ? principal.projectId : null);
  const refusal = projectId === null ? refusalWithoutProject(principal) : undefined;
  return { principal, projectId, namedProject, ...(refusal && { refusal }) };
}

/**
 * Returns the project of a request's rows: the one that it names, or that of the credential. Null: they have none.
 * @throws Problem `forbidden`, `insufficient_scope` if the sender may not send rows without a project
 */
export function projectOfRows(request: FastifyRequest): string | null {
  const { projectId, refusal } = senderOf(request);
  if (refusal !== undefined) throw refusal;
  return projectId;
}

/**
 * Rows without a project belong to the organization, so a role in a project is not enough. Each row is checked against the
 * services of a limited credential, so the limits do not count here.
 */
function refusalWithoutProject(principal: Principal): Problem | undefined {
  try {
    requireOrganization({ ...principal, limits: undefined }, "telemetry:write");
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return new Problem(error.code, `${error.message} Name a project with X-Mooring-Project.`, error.options);
  }
}

function notShown(kind: Shown["kind"]): Problem {
  const how =
    "Send an ingest key (mrik_…) as Authorization: Bearer, as the user or the password of Basic, or as X-Api-Key. mooring ingest-key create makes one.";
  return new Problem("unauthorized", kind === "nothing" ? how : `The request has no ingest key. ${how}`);
}
