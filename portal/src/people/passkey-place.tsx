import type { ReactNode } from "react";
import { useSignInMethods } from "./sign-in-methods.ts";

/** Why no passkey can be made at this address, and where one can; nothing where it can be. */
export function PasskeyPlace(): ReactNode {
  const { methods, hasPasskeys, passkeyPage } = useSignInMethods();
  const elsewhere = passkeyPage("/account?tab=sign-in");
  if (methods === undefined || hasPasskeys) return null;
  if (methods.passkeys) return <p className="text-ink-2">This browser has no passkeys; another one may.</p>;
  return (
    <p className="text-ink-2">
      Browsers create no passkeys for an address like <code>{location.host}</code>.{" "}
      {elsewhere === null ? (
        "They work for a name that is served over HTTPS: the operator of the server can set portal_url to one."
      ) : (
        <>
          They work with the name localhost:{" "}
          <a href={elsewhere} target="_blank" rel="noreferrer" className="text-sea underline">
            open the portal on localhost (in a new tab)
          </a>{" "}
          and sign in there again.
        </>
      )}
    </p>
  );
}
