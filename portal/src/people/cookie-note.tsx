import type { ReactNode } from "react";

/** Whether browsers keep the session's cookie at this address: it is only sent over HTTPS, or to this very machine. */
export function mayKeepCookies(): boolean {
  return isSecureContext;
}

/** Why nobody can stay signed in at this address, and what helps. */
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
          ? "The sign-in was right, but your browser did not store the session."
          : "Your browser will not keep a sign-in at this address: it is plain HTTP to another machine."}
      </p>
      {mayKeepCookies() ? (
        <p className="text-s text-ink-2">
          Allow cookies for {hostname}. Safari keeps none over plain HTTP: use another browser there, or HTTPS.
        </p>
      ) : (
        <p className="text-s text-ink-2">
          Open the portal over HTTPS (put a proxy with a certificate before it), or bring it to your machine and open{" "}
          <code>http://localhost:{at}</code>:{" "}
          <code className="[overflow-wrap:anywhere]">
            ssh -L {at}:localhost:{at} {hostname}
          </code>
        </p>
      )}
    </div>
  );
}
