import {
  isHarmless,
  isScope,
  organizationAllows,
  ProblemBody,
  REQUEST_HEADERS,
  SCOPE_DESCRIPTIONS,
  type Route,
} from "@mooring/contract";
import type { ProblemCode } from "#kernel/problem.ts";
import { PROBLEMS } from "./problems.ts";

type Row = Pick<Route, "operationId" | "method" | "path" | "tag" | "summary" | "permission" | "status" | "problems"> &
  Partial<
    Pick<
      Route,
      | "description"
      | "params"
      | "query"
      | "headers"
      | "body"
      | "otherBodies"
      | "result"
      | "resultType"
      | "idempotent"
      | "sameOrigin"
      | "recentSignIn"
      | "endsAccess"
      | "takesIngestKeys"
    >
  >;

/** Returns the error codes of a row, from its permission and its own list. */
function problemCodesOf(row: Row): ProblemCode[] {
  const codes = new Set<ProblemCode>(row.problems as ProblemCode[]);
  for (const code of codesOfAdmission(row)) codes.add(code);
  if (row.params !== undefined || row.query !== undefined) codes.add("invalid_parameter");
  if (row.body !== undefined)
    for (const code of ["invalid_body", "body_too_large", "unsupported_media_type"] as const) codes.add(code);
  if (row.idempotent === true)
    for (const code of ["idempotency_in_progress", "idempotency_key_reused"] as const) codes.add(code);
  codes.add("internal");
  codes.add("unavailable");
  return [...codes];
}

/** Errors of people's tokens only: the organization requires a second factor or single sign-on. */
const OF_PEOPLE: readonly ProblemCode[] = [
  "second_factor_required",
  "provider_sign_in_required",
  "new_sign_in_required",
];

function codesOfAdmission({ permission, ...row }: Row): ProblemCode[] {
  const recent: ProblemCode[] =
    row.recentSignIn === true ? ["confirmation_required", "insufficient_user_authentication"] : [];
  if (permission === "public") return row.sameOrigin === true ? ["cross_site"] : [];
  if (permission === "session") return ["unauthorized", "rate_limited", "cross_site", ...recent];
  if (permission === "instance")
    return ["unauthorized", "invalid_token", "rate_limited", "cross_site", "forbidden", ...recent];
  const scope: ProblemCode[] = permission === "authenticated" ? [] : ["insufficient_scope"];
  const suspended: ProblemCode[] = isAllowedReadOnly(row, permission) ? [] : ["organization_read_only"];
  return [
    "unauthorized",
    "invalid_token",
    "address_not_allowed",
    "organization_blocked",
    ...suspended,
    "rate_limited",
    ...OF_PEOPLE,
    ...scope,
    ...recent,
  ];
}

/** Whether a read-only organization allows the operation. */
function isAllowedReadOnly(row: Pick<Row, "method" | "endsAccess">, permission: Row["permission"]): boolean {
  return isHarmless(row) || !isScope(permission) || organizationAllows("read_only", permission);
}

const INGEST_KEY = {
  type: "apiKey",
  in: "header",
  name: "X-Api-Key",
  description: "An ingest key (`mrik_…`). It may also be a bearer token, or the password of Basic.",
};

/** Builds the OpenAPI 3.1 document of a set of rows. It is a pure function: equal rows give equal text. */
export function openApiOf(options: {
  title: string;
  version: string;
  description: string;
  rows: readonly Row[];
  /** Where tokens are issued. */
  tokenUrl?: string;
}): object {
  const paths: Record<string, Record<string, unknown>> = {};
  const ids = new Set<string>();
  for (const row of options.rows) {
    if (ids.has(row.operationId)) throw new Error(`two rows have the operation id ${row.operationId}`);
    ids.add(row.operationId);
    const path = (paths[row.path] ??= {});
    path[row.method.toLowerCase()] = operationOf(row);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: { Problem: ProblemBody },
      securitySchemes: {
        oauth2: {
          type: "oauth2",
          description: "An access token by the client credentials grant (RFC 6749 section 4.4).",
          flows: { clientCredentials: { tokenUrl: options.tokenUrl ?? "/oauth/token", scopes: SCOPE_DESCRIPTIONS } },
        },
        ...(options.rows.some(({ takesIngestKeys }) => takesIngestKeys === true) ? { ingestKey: INGEST_KEY } : {}),
      },
    },
  };
}

function operationOf(row: Row): object {
  return {
    operationId: row.operationId,
    tags: [row.tag],
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    security: securityOf(row),
    parameters: parametersOf(row),
    ...(row.body === undefined ? {} : { requestBody: { required: true, content: bodyOf(row) } }),
    responses: responsesOf(row),
  };
}

function securityOf({ permission, takesIngestKeys }: Row): object[] {
  if (permission === "public") return [];
  if (permission === "session" || permission === "instance")
    throw new Error("cannot document a row of the portal: its API is internal");
  const token = { oauth2: permission === "authenticated" ? [] : [permission] };
  return takesIngestKeys === true ? [token, { ingestKey: [] }] : [token];
}

function bodyOf(row: Row): Record<string, object> {
  const others = Object.entries(row.otherBodies ?? {}).map(([mediaType, description]) => [
    mediaType,
    { schema: { type: "string", description } },
  ]);
  return { "application/json": { schema: row.body }, ...(Object.fromEntries(others) as Record<string, object>) };
}

function parametersOf(row: Row): object[] {
  const of = (place: "path" | "query", schema: Route["params"]): object[] => {
    const required = new Set((schema as { required?: string[] } | undefined)?.required);
    return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
      name,
      in: place,
      required: required.has(name),
      schema: property,
    }));
  };
  const headers = [...(row.headers ?? []), ...(row.idempotent === true ? (["Idempotency-Key"] as const) : [])];
  return [
    ...of("path", row.params),
    ...of("query", row.query),
    ...headers.map((name) => ({
      name,
      in: "header",
      required: false,
      description: REQUEST_HEADERS[name],
      schema: { type: "string", maxLength: 255 },
    })),
  ];
}

function responsesOf(row: Row): Record<string, unknown> {
  const success = {
    description: "Success",
    ...(row.result === undefined
      ? {}
      : { content: { [row.resultType ?? "application/json"]: { schema: row.result } } }),
  };
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemCodesOf(row)) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const problems = [...byStatus.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => [
      String(status),
      {
        description: codes.toSorted().join(", "),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]);
  return { [String(row.status)]: success, ...(Object.fromEntries(problems) as Record<string, unknown>) };
}
