import { Secret, TOTP } from "otpauth";
import type { Browser } from "./browser.ts";
import type { PortalServer } from "./server.ts";

/** An authenticator app that a person has set up. */
export interface AuthenticatorApp {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** Returns the current code, or the code `offsetMs` milliseconds from now. */
  code(offsetMs?: number): string;
}

/** Returns the code of an app with this secret at the server's time. */
export function codeOf(server: PortalServer, secret: string, offsetMs = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.clock.nowMs() + offsetMs });
}

/** Sets an app up. Moves the clock by a minute, because the used code is no longer valid. */
export async function setUpApp(server: PortalServer, browser: Browser): Promise<AuthenticatorApp> {
  const begun = await browser.call("POST", "/api/account/totp", {});
  const secret = String(begun.json["secret"]);
  const confirmed = await browser.call("POST", "/api/account/totp/confirm", { code: codeOf(server, secret) });
  if (confirmed.status !== 200) throw new Error(begun.text + confirmed.text);
  server.forward(60_000);
  return {
    secret,
    recoveryCodes: confirmed.json["recovery_codes"] as string[],
    code: (offsetMs) => codeOf(server, secret, offsetMs),
  };
}
