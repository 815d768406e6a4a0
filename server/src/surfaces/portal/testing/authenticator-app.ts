import { Secret, TOTP } from "otpauth";
import type { Browser } from "./browser.ts";
import type { PortalServer } from "./server.ts";

/** An authenticator app that a person has set up. */
export interface AuthenticatorApp {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** What it shows now, or so many milliseconds from now. */
  code(offsetMs?: number): string;
}

/** What an app with this secret shows at the server's time. */
export function codeOf(server: PortalServer, secret: string, offsetMs = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.clock.nowMs() + offsetMs });
}

/** Sets one up. The code that this takes is then good no more, so a minute passes. */
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
