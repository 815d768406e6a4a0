/** Returns the message for a browser's error with a passkey (WebAuthn level 3, sections 5.1.3 and 5.1.4). */
export function passkeyErrorText(error: { readonly name: string; readonly message: string }): string {
  switch (error.name) {
    case "NotAllowedError":
    case "AbortError":
      return "No passkey was used. The request was cancelled, or it took too long. Try again.";
    case "InvalidStateError":
      return "This device or password manager already has a passkey of this account.";
    case "SecurityError":
      return "Browsers do not allow passkeys at this address. Open the portal by its name over HTTPS, or at localhost.";
    case "NotSupportedError":
    case "ConstraintError":
      return "This browser or security key lacks a required feature. Try another one.";
    default:
      return `The browser could not use a passkey: ${error.message}`;
  }
}
