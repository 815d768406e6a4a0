import Type from "typebox";
import { route } from "../route.ts";

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
    summary: "Show the address of each service of this deployment",
    permission: "public",
    publicReason: "clients need it before they have a token",
    result: ServiceAddresses,
    status: 200,
    problems: [],
  }),
} as const;
