import { createContext, lazy, Suspense, use, useState, type ReactNode } from "react";
import type { ConnectRequest } from "./request.ts";

const Context = createContext<((request: ConnectRequest) => void) | null>(null);
const ConnectDialog = lazy(async () => ({ default: (await import("./connect-dialog.tsx")).ConnectDialog }));

/** Returns a function that opens the dialog with commands for the page's topic. */
export function useConnect(): (request: ConnectRequest) => void {
  const open = use(Context);
  if (open === null) throw new Error("no connect dialog around this");
  return open;
}

export function ConnectProvider({ children }: { children: ReactNode }): ReactNode {
  const [request, setRequest] = useState<ConnectRequest | null>(null);
  return (
    <Context value={setRequest}>
      {children}
      {request !== null && (
        <Suspense>
          <ConnectDialog request={request} onClose={() => setRequest(null)} />
        </Suspense>
      )}
    </Context>
  );
}
