import type { FastifyRequest } from "fastify";
import type { Scope } from "@mooring/contract";
import {
  forHarmless,
  isIngestKey,
  requireAnywhere,
  type Authenticator,
  type Principal,
} from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";

/** The permission that an access token needs. */
export type TokenPermission = Scope | "authenticated";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the operation runs, on every route that accepts an access token. */
    principal: Principal | null;
  }
}

/** What a suspended organization must allow for an operation. */
export interface Admission {
  readonly isHarmless: boolean;
  readonly keeps?: boolean | undefined;
}

/** Returns the access token of the `Authorization` field (RFC 6750 section 2.1). The scheme is case-insensitive. */
export function bearerOf(request: FastifyRequest): string {
  const field = request.headers.authorization;
  if (field === undefined || field === "") {
    throw new Problem(
      "unauthorized",
      "Send an access token: Authorization: Bearer <ACCESS_TOKEN>. POST /oauth/token issues one.",
    );
  }
  const match = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(field);
  if (match?.[1] === undefined) {
    throw new Problem("unauthorized", "The Authorization field must be: Bearer <ACCESS_TOKEN>.");
  }
  if (isIngestKey(match[1]))
    throw new Problem("invalid_token", "An ingest key only sends telemetry. Use an access token here.");
  return match[1];
}

/**
 * Authenticates the principal, then checks that it has the permission for any resource. The operation checks it again
 * for the resource that it finds.
 * @throws Problem `unauthorized`, `invalid_token`, `address_not_allowed`, `organization_blocked`, `organization_read_only`,
 * `insufficient_scope`, `project_archived`, `unavailable`
 */
export async function admit(
  request: FastifyRequest,
  permission: TokenPermission,
  authenticator: Authenticator,
  { isHarmless, keeps }: Admission = { isHarmless: false },
): Promise<Principal> {
  const origin = { ip: request.ip, requestId: request.id };
  const authenticated = await authenticator.authenticate(
    bearerOf(request),
    origin,
    keeps === true ? "keep" : undefined,
  );
  const principal = isHarmless ? forHarmless(authenticated) : authenticated;
  request.principal = principal;
  if (permission === "authenticated") return principal;
  requireAnywhere(principal, permission);
  return principal;
}

/** Returns the principal of a request on a route that accepts an access token. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error("no principal: the route accepts no access token");
  return request.principal;
}
