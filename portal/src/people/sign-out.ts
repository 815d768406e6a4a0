import { ApiError } from "@mooring/client";
import { PORTAL_ROUTES } from "@mooring/contract";
import { sessionClient } from "~/api/clients.ts";
import { messageOf } from "~/kit/error-note.tsx";
import { useSay } from "~/kit/toast.tsx";

/** Ends the session and opens an address. */
export function useSignOut(): (to: string) => Promise<void> {
  const say = useSay();
  return async (to) => {
    try {
      await sessionClient.call(PORTAL_ROUTES.signOut, {});
    } catch (error) {
      // 401: the session has already ended.
      if (!(error instanceof ApiError) || error.status !== 401) {
        say(messageOf(error as Error), "stop");
        return;
      }
    }
    // A new document, so that no data of this person stays in memory and no page continues to send requests.
    location.assign(to);
  };
}
