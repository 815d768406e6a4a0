import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { plural } from "~/kit/figures.ts";

export type Ended = NonNullable<ResultOf<typeof PORTAL_ROUTES.getSession>["notice"]>;

/** Lists what the first verification of an address removed. */
export function EndedList({ ended }: { ended: Ended }): ReactNode {
  const parts = [
    ended.password && "the password",
    ended.second_factor && "the authenticator app and its recovery codes",
    ended.passkeys > 0 && plural(ended.passkeys, "passkey"),
    ended.sessions > 0 && plural(ended.sessions, "session"),
    ended.tokens > 0 && plural(ended.tokens, "personal access token"),
    ended.identities > 0 &&
      plural(ended.identities, "identity at the single sign-on", "identities at the single sign-on"),
  ].filter((part) => part !== false);
  return (
    <ul className="list-disc pl-6">
      {parts.map((part) => (
        <li key={part}>{part}</li>
      ))}
    </ul>
  );
}
