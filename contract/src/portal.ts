import Type from "typebox";
import { route } from "./route.ts";
import { DisplayName, Slug } from "./shared.ts";

export const ServiceAddresses = Type.Object({
  identity_url: Type.String(),
  ingest_url: Type.String(),
  query_url: Type.String(),
  storage_url: Type.String(),
  registry_domain: Type.String(),
  s3_endpoint: Type.String(),
  webhooks_url: Type.String(),
  portal_url: Type.String(),
});

export const DISCOVERY_ROUTES = {
  getAddresses: route({
    operationId: "getAddresses",
    method: "GET",
    path: "/.well-known/mooring",
    tag: "discovery",
    summary: "The address of each service of this deployment",
    permission: "public",
    publicReason: "clients ask it before they have a token",
    result: ServiceAddresses,
    status: 200,
    problems: [],
  }),
} as const;

/** Between the portal's pages and the server that they came from; no stable interface. */
export const PORTAL_ROUTES = {
  setUp: route({
    operationId: "setUp",
    method: "POST",
    path: "/api/setup",
    tag: "portal",
    summary: "Set up the owner's account by a one-time link, and get a first credential",
    permission: "public",
    publicReason: "the owner has no account yet; the token in the body is the permission",
    body: Type.Object(
      {
        token: Type.String({ maxLength: 128, description: "what stands after # in the link" }),
        name: DisplayName,
        password: Type.String({ minLength: 12, maxLength: 1024 }),
      },
      { additionalProperties: false },
    ),
    result: Type.Object({
      organization: Type.Object({ id: Type.String(), slug: Slug }),
      user: Type.Object({ id: Type.String(), email: Type.String(), name: DisplayName }),
      credential: Type.Object({ id: Type.String(), client_id: Type.String(), client_secret: Type.String() }),
      addresses: ServiceAddresses,
    }),
    status: 201,
    problems: ["invalid_body", "not_found", "rate_limited"],
  }),
} as const;
