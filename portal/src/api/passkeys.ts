import { startAuthentication, startRegistration, WebAuthnError } from "@simplewebauthn/browser";
import { passkeyErrorText } from "./passkey-errors.ts";

/** What the server begins a ceremony with, and what it wants back. The members are the browser's own affair. */
interface Begun {
  readonly ticket: string;
  readonly options: object;
}

export interface PasskeyAnswer {
  readonly ticket: string;
  readonly response: Record<string, unknown>;
}

/** Has the browser show a passkey. `autofill`: offered among what the form's fields fill in. @throws Error with a text for people */
export async function showPasskey(begin: () => Promise<Begun>, { autofill = false } = {}): Promise<PasskeyAnswer> {
  const { ticket, options } = await begin();
  return inWords(async () => {
    const response = await startAuthentication({ optionsJSON: options as never, useBrowserAutofill: autofill });
    return { ticket, response: { ...response } };
  });
}

/** Has the browser make a passkey. @throws Error with a text for people */
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
