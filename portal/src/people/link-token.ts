import { useEffect, useState } from "react";

/** The secrets by page, only in memory: a reload deletes them. */
const taken = new Map<string, string>();

/**
 * Returns the secret of a one-time link. It is in the fragment, so that it is never in a server's log. It is removed
 * from the address bar and the history at once, so that nobody else reads it there. Empty: the address had no secret.
 */
export function useLinkToken(): string {
  const [token, setToken] = useState(take);
  useEffect(() => {
    // Opening another link in this tab changes only the fragment, and does not load the page.
    const onChange = (): void => setToken(take());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return token;
}

/** Deletes the secret after the link was used. */
export function forgetLinkToken(): void {
  taken.delete(location.pathname);
}

function take(): string {
  const { hash, pathname } = location;
  if (hash.length > 1) {
    taken.set(pathname, hash.slice(1));
    history.replaceState(history.state, "", pathname);
  }
  return taken.get(pathname) ?? "";
}
