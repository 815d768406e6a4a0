import { ApiError } from "@mooring/client";
import { createContext, use, useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import { ConfirmationDialog } from "~/app/confirmation-dialog.tsx";

type Confirmed = <R>(attempt: () => Promise<R>) => Promise<R>;

const Context = createContext<Confirmed | null>(null);

/** Runs an action. If the server requires a confirmation, a dialog asks for it, and the action runs again. */
export function useConfirmed(): Confirmed {
  const confirmed = use(Context);
  if (confirmed === null) throw new Error("no confirmation provider around this");
  return confirmed;
}

export function ConfirmationProvider({ children }: { children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  const settle = useRef<((confirmed: boolean) => void) | null>(null);
  const ask = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        settle.current = resolve;
        setOpen(true);
      }),
    [],
  );
  const close = (confirmed: boolean): void => {
    setOpen(false);
    settle.current?.(confirmed);
    settle.current = null;
  };
  const confirmed = useMemo<Confirmed>(
    () => async (attempt) => {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "confirmation_required") throw error;
        if (!(await ask())) throw error;
        return attempt();
      }
    },
    [ask],
  );
  return (
    <Context value={confirmed}>
      {children}
      {open && <ConfirmationDialog onClose={close} />}
    </Context>
  );
}
