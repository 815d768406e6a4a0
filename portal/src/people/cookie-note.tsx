import type { ReactNode } from "react";

/** Whether browsers store the session's cookie at this address: they do over HTTPS and on localhost. */
export function mayKeepCookies(): boolean {
  return isSecureContext;
}

/** Shows why browsers can't stay signed in at this address, and what to do. */
export function CookieNote({ after = false }: { after?: boolean }): ReactNode {
  const { hostname, port, protocol } = location;
  const at = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return (
    <div
      role={after ? "alert" : "note"}
      className="flex flex-col gap-1.5 rounded border border-warn bg-warn-2 px-3 py-2"
    >
      <p>
        {after
          ? "The sign-in succeeded, but your browser did not store the session."
          : "Your browser will not store a session at this address, because it is plain HTTP to another machine."}
      </p>
      {mayKeepCookies() ? (
        <p className="text-s text-ink-2">
          Allow cookies for {hostname}. Safari does not store them over plain HTTP, so use HTTPS or another browser.
        </p>
      ) : (
        <p className="text-s text-ink-2">
          Open the portal over HTTPS (with a proxy that has a certificate), or forward it to your machine and open{" "}
          <code>http://localhost:{at}</code>:{" "}
          <code className="[overflow-wrap:anywhere]">
            ssh -L {at}:localhost:{at} {hostname}
          </code>
        </p>
      )}
    </div>
  );
}
