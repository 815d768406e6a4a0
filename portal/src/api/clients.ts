import { createClient, sessionTokens, type Addresses, type Client } from "@mooring/client";

const { origin, host } = location;

/**
 * The portal calls its own origin, which serves every path of the API, even if a service has another public address.
 */
const SAME_ORIGIN: Addresses = {
  identity_url: origin,
  ingest_url: origin,
  query_url: origin,
  storage_url: origin,
  registry_domain: host,
  s3_endpoint: origin,
  webhooks_url: origin,
  portal_url: origin,
};

/** Calls with the session's cookie: sign-in, account, the instance. */
export const sessionClient: Client = createClient({ addresses: SAME_ORIGIN, tokens: null });

const clients = new Map<string, Client>();

/** Calls the public API as the signed-in person, within one organization. */
export function organizationClient(slug: string): Client {
  const known = clients.get(slug);
  if (known !== undefined) return known;
  const client = createClient({
    addresses: SAME_ORIGIN,
    tokens: sessionTokens(sessionClient, slug, () => Date.now()),
  });
  clients.set(slug, client);
  return client;
}

/** Deletes all clients after a sign-out, so that the next person does not use the tokens of the last one. */
export function forgetClients(): void {
  clients.clear();
}

/** Moves a presigned URL of this server to the portal's origin. The page may connect to no other. */
export function onThisOrigin(url: string): string {
  const { pathname, search } = new URL(url);
  return origin + pathname + search;
}
