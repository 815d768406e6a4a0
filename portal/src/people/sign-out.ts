import { ApiError } from "@mooring/client";
import { PORTAL_ROUTES } from "@mooring/contract";
import { sessionClient } from "~/api/clients.ts";
import { messageOf } from "~/kit/error-note.tsx";
import { useSay } from "~/kit/toast.tsx";

/** Ends the session and goes to an address. */
export function useSignOut(): (to: string) => Promise<void> {
  const say = useSay();
  return async (to) => {
    try {
      await sessionClient.call(PORTAL_ROUTES.signOut, {});
    } catch (error) {
      // The session has ended already: the goal is reached.
      if (!(error instanceof ApiError) || error.status !== 401) {
        say(messageOf(error as Error), "stop");
        return;
      }
    }
    // A new document: nothing that was loaded for this person stays in memory, and no page asks on for them.
    location.assign(to);
  };
}
