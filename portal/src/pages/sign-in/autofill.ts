import { PORTAL_ROUTES } from "@mooring/contract";
import { browserSupportsWebAuthnAutofill, WebAuthnAbortService } from "@simplewebauthn/browser";
import { useEffect, useRef } from "react";
import { sessionClient } from "~/api/clients.ts";
import { showPasskey, type PasskeyAnswer } from "~/api/passkeys.ts";

/** Slightly less than the lifetime of the server's ticket. */
const RENEW_MS = 4.5 * 60_000;

/**
 * Offers passkeys among the suggestions of the e-mail field (WebAuthn level 3, section 5.1.4, conditional mediation)
 * while the form is shown. If the browser does not support this, no error is shown, because there is also a button.
 */
export function usePasskeyAutofill(isOn: boolean, onAnswer: (answer: PasskeyAnswer) => void): void {
  const latest = useRef(onAnswer);
  latest.current = onAnswer;
  useEffect(() => {
    if (!isOn) return;
    let stopped = false;
    let offered = false;
    const offer = async (): Promise<void> => {
      if (stopped || document.hidden || !(await browserSupportsWebAuthnAutofill())) return;
      offered = true;
      try {
        const answer = await showPasskey(() => sessionClient.call(PORTAL_ROUTES.beginPasskeySignIn, { body: {} }), {
          autofill: true,
        });
        if (!stopped) latest.current(answer);
      } catch {
        // The button, leaving the page or a refusal has ended it. The form and its button are still there.
      } finally {
        offered = false;
      }
    };
    void offer();
    const timer = setInterval(() => void offer(), RENEW_MS);
    return () => {
      stopped = true;
      clearInterval(timer);
      // Cancels only its own request for a passkey: the button may have started another one.
      if (offered) WebAuthnAbortService.cancelCeremony();
    };
  }, [isOn]);
}
