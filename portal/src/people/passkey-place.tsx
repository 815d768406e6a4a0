import type { ReactNode } from "react";
import { useSignInMethods } from "./sign-in-methods.ts";

/** Says why passkeys do not work at this address, and where they do. Shows nothing if they work. */
export function PasskeyPlace(): ReactNode {
  const { methods, hasPasskeys, passkeyPage } = useSignInMethods();
  const elsewhere = passkeyPage("/account?tab=sign-in");
  if (methods === undefined || hasPasskeys) return null;
  if (methods.passkeys)
    return <p className="text-ink-2">This browser does not support passkeys. Try another browser.</p>;
  return (
    <p className="text-ink-2">
      Browsers do not allow passkeys at an address like <code>{location.host}</code>.{" "}
      {elsewhere === null ? (
        "They work at a name over HTTPS. The operator of the server can set portal_url to one."
      ) : (
        <>
          They work at localhost:{" "}
          <a href={elsewhere} target="_blank" rel="noreferrer" className="text-sea underline">
            open the portal on localhost (in a new tab)
          </a>{" "}
          and sign in again there.
        </>
      )}
    </p>
  );
}
