import { SERVICE_PREFIXES, type ApiService, type DISCOVERY_ROUTES, type ResultOf } from "@mooring/contract";
import { openApiOf } from "#http/index.ts";
import { API_PARTS, API_VERSION } from "./parts.ts";

type Addresses = ResultOf<typeof DISCOVERY_ROUTES.getAddresses>;

/** The addresses of the services that answer the JSON API. */
export type ApiAddresses = Readonly<Pick<Addresses, ApiService>>;

interface Document {
  readonly paths: Record<string, object>;
}

const DESCRIPTION =
  "The JSON API of Mooring. Protocols that others specify are not in it: OAuth (/oauth), OTLP (/otlp), tus (/v1/uploads), " +
  "the OCI distribution interface (/v2), S3 (its address is in /.well-known/mooring), and addresses of webhooks (/hooks).";

/**
 * Returns the OpenAPI 3.1 document of the whole JSON API: the documents of its parts in one. Paths of a service with
 * another address have their own `servers`.
 */
export function apiDocument(addresses: ApiAddresses): object {
  const document = openApiOf({
    title: "Mooring",
    version: API_VERSION,
    description: DESCRIPTION,
    rows: API_PARTS.flatMap(({ rows }) => rows),
    tokenUrl: `${addresses.identity_url}/oauth/token`,
  }) as Document;
  const { paths, ...rest } = document;
  return {
    ...rest,
    servers: [{ url: addresses.portal_url }],
    tags: Object.entries(tagsOf()).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => {
        const url = addresses[serviceOf(path)];
        return [path, url === addresses.portal_url ? item : { servers: [{ url }], ...item }];
      }),
    ),
  };
}

/** The tags of all parts, in their order. */
function tagsOf(): Record<string, string> {
  return Object.assign({}, ...API_PARTS.map(({ tags }) => tags)) as Record<string, string>;
}

function serviceOf(path: string): ApiService {
  const [, service = "portal_url"] = SERVICE_PREFIXES.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return service;
}
