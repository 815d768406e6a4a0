import { startAuthentication, startRegistration, WebAuthnError } from "@simplewebauthn/browser";
import { passkeyErrorText } from "./passkey-errors.ts";

/** The server's answer that starts the creation or use of a passkey. The browser defines the members of the options. */
interface Begun {
  readonly ticket: string;
  readonly options: object;
}

export interface PasskeyAnswer {
  readonly ticket: string;
  readonly response: Record<string, unknown>;
}

/**
 * Asks the browser for a passkey. With `autofill`, the browser offers it among the suggestions of the form's fields.
 * @throws Error with a text for people
 */
export async function showPasskey(begin: () => Promise<Begun>, { autofill = false } = {}): Promise<PasskeyAnswer> {
  const { ticket, options } = await begin();
  return inWords(async () => {
    const response = await startAuthentication({ optionsJSON: options as never, useBrowserAutofill: autofill });
    return { ticket, response: { ...response } };
  });
}

/** Asks the browser to create a passkey. @throws Error with a text for people */
export async function makePasskey({ ticket, options }: Begun): Promise<PasskeyAnswer> {
  return inWords(async () => {
    const response = await startRegistration({ optionsJSON: options as never });
    return { ticket, response: { ...response } };
  });
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WebAuthnError || error instanceof DOMException)
      throw new Error(passkeyErrorText(error), { cause: error });
    throw error;
  }
}
