/** A real OpenID Connect provider on this machine, with its own pages for the sign-in and the consent. */
import assert from "node:assert/strict";
import { createServer, type Server as Listener } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { Page } from "playwright-core";
import type { ServerOptions } from "../fixtures/server.ts";

export const PROVIDER_NAME = "Harbour office";
const CLIENT = { id: "mooring", secret: "the-secret-of-a-client" };

export interface TestProvider {
  /** Returns settings of a server at this port that lets people sign in at the provider. */
  settings(port: number): Pick<ServerOptions, "settings" | "environment">;
  close(): Promise<void>;
}

/**
 * Starts a provider. A person who signs in with an e-mail address has that address; others have none. @param port of
 * the server to which it sends people back
 */
export async function startProvider(port: number): Promise<TestProvider> {
  const listener = createServer();
  const issuer = `http://127.0.0.1:${await listening(listener)}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`http://127.0.0.1:${port}/api/sign-in/oidc/callback`],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...(id.includes("@") ? { email: id, email_verified: true } : {}) }),
    }),
  });
  const answer = provider.callback();
  listener.on("request", (request, response) => void answer(request, response));
  return {
    settings: (at) => ({
      settings: {
        listen: `127.0.0.1:${at}`,
        oidc_issuer: issuer,
        oidc_client_id: CLIENT.id,
        oidc_name: PROVIDER_NAME,
      },
      environment: { MOORING_OIDC_CLIENT_SECRET: CLIENT.secret },
    }),
    close: async () => {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Signs in at the provider's pages, and consents. */
export async function proveAs(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** Returns a port that nothing listens on now. */
export async function unusedPort(): Promise<number> {
  const listener = createServer();
  const port = await listening(listener);
  await new Promise((resolve) => listener.close(resolve));
  return port;
}

async function listening(listener: Listener): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address() as AddressInfo | null;
  return address?.port ?? assert.fail("it does not listen");
}
