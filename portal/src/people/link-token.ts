import { useEffect, useState } from "react";

/** In memory alone, by page: a reload forgets it. */
const taken = new Map<string, string>();

/**
 * The secret of a one-time link, which stands in the fragment, so that no server's log has it. It leaves the address bar and the
 * history at once: the link works once, but nobody should read it over a shoulder. Empty: the address had none.
 */
export function useLinkToken(): string {
  const [token, setToken] = useState(take);
  useEffect(() => {
    // Another link opened in this tab changes the fragment only, and loads nothing.
    const onChange = (): void => setToken(take());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return token;
}

/** The link was used. */
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
