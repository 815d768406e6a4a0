import { PORTAL_ROUTES } from "@mooring/contract";
import { browserSupportsWebAuthnAutofill, WebAuthnAbortService } from "@simplewebauthn/browser";
import { useEffect, useRef } from "react";
import { sessionClient } from "~/api/clients.ts";
import { showPasskey, type PasskeyAnswer } from "~/api/passkeys.ts";

/** A little less than a ticket of the server lives. */
const RENEW_MS = 4.5 * 60_000;

/**
 * Offers passkeys among what the e-mail field fills in (WebAuthn level 3, section 5.1.4, conditional mediation), for as long as
 * the form is in sight. Where that is not to be had nothing is said: the button is there.
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
        // Cancelled by the button, by leaving, or refused: the form and its button are still there.
      } finally {
        offered = false;
      }
    };
    void offer();
    const timer = setInterval(() => void offer(), RENEW_MS);
    return () => {
      stopped = true;
      clearInterval(timer);
      // Only its own: the button may have begun another by now.
      if (offered) WebAuthnAbortService.cancelCeremony();
    };
  }, [isOn]);
}
