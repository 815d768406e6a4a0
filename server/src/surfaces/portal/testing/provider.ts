import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import type { ProviderSettings } from "#domain/people/index.ts";
import { ADDRESSES } from "./addresses.ts";

/** The person that the provider's ID token names. */
export interface Who {
  sub: string;
  email?: string;
  email_verified?: boolean;
  groups?: unknown;
}

/** A real provider on this machine. The test chooses who signs in there. */
export interface TestProvider {
  readonly settings: ProviderSettings;
  who: Who;
  /** Follows the provider's pages as a browser does. Returns the address to which it sends back. */
  through(first: string): Promise<string>;
  close(): void;
}

const PORTAL = ADDRESSES.portal_url;
const SECRET = "the-secret-of-a-client";

export async function startProvider(): Promise<TestProvider> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(listener.address() as { port: number }).port}`;
  const started: TestProvider = {
    settings: { issuer, clientId: "mooring", clientSecret: SECRET, name: "Example", groupsClaim: "groups" },
    who: { sub: "nobody" },
    through: throughProvider,
    close: () => {
      listener.closeAllConnections();
      listener.close();
    },
  };
  const answer = providerAt(issuer, () => started.who).callback();
  listener.on("request", (request, response) => void answer(request, response));
  return started;
}

function providerAt(url: string, present: () => Who): Provider {
  const provider = new Provider(url, {
    clients: [
      {
        client_id: "mooring",
        client_secret: SECRET,
        redirect_uris: [`${PORTAL}/api/sign-in/oidc/callback`],
      },
    ],
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"] },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...present(), sub: id }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    // Consent is given without a question.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope("openid email");
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/interaction/")) {
      await next();
      return undefined;
    }
    await provider.interactionFinished(context.req, context.res, { login: { accountId: present().sub } });
    context.respond = false;
    return undefined;
  });
  return provider;
}

/** Follows the provider's pages as a browser does. Returns the address to which it sends back. */
async function throughProvider(first: string): Promise<string> {
  const cookies = new Map<string, string>();
  let address = first;
  for (let step = 0; step < 10; step++) {
    if (address.startsWith(PORTAL)) return address.slice(PORTAL.length);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    address = new URL(response.headers.get("location") ?? assert.fail(await response.text()), address).href;
  }
  return assert.fail("the provider redirects nowhere");
}
