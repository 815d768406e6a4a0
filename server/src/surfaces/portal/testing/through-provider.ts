import assert from "node:assert/strict";
import type { TestProvider } from "./provider.ts";
import type { Answer, Browser } from "./browser.ts";

/** Follows an answer to the provider and back. Returns the last address of the browser. */
export async function throughProvider(provider: TestProvider, browser: Browser, begun: Answer): Promise<string> {
  const set = begun.headers.getSetCookie().join("\n");
  const ticket = /__Host-mooring-oidc=([^;]+)/.exec(set)?.[1] ?? assert.fail(begun.text);
  const first = begun.headers.get("location") ?? String(begun.json["url"]);
  const former = browser.cookie === undefined ? "" : `; __Host-mooring=${browser.cookie}`;
  const cookie = `__Host-mooring-oidc=${ticket}${former}`;
  const answer = await browser.call("GET", await provider.through(first), undefined, { cookie });
  return answer.headers.get("location") ?? assert.fail(answer.text);
}

/** Signs in at the provider. */
export async function signInAtProvider(provider: TestProvider, browser: Browser): Promise<string> {
  return throughProvider(provider, browser, await browser.call("GET", "/api/sign-in/oidc"));
}
