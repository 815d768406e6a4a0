import { createContext, use, useCallback, useMemo, useState, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { State, type StateKind } from "./state.tsx";

interface Toast {
  readonly id: number;
  readonly kind: StateKind;
  readonly text: ReactNode;
}

type Say = (text: ReactNode, kind?: StateKind) => void;

const Context = createContext<Say | null>(null);
const SHOWN_MS = 6000;

/** Returns a function that shows a message for a few seconds, also to screen readers. */
export function useSay(): Say {
  const say = use(Context);
  if (say === null) throw new Error("no toasts around this");
  return say;
}

export function Toasts({ children }: { children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const drop = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const say = useCallback<Say>(
    (text, kind = "go") => {
      const id = performance.now();
      setToasts((all) => [...all.slice(-3), { id, kind, text }]);
      setTimeout(() => drop(id), SHOWN_MS);
    },
    [drop],
  );
  return (
    <Context value={useMemo(() => say, [say])}>
      {children}
      <div
        role="status"
        aria-live="polite"
        className="fixed right-3 bottom-3 z-50 flex max-w-[calc(100vw-24px)] flex-col gap-2"
      >
        {toasts.map((toast) => (
          <div key={toast.id} className="flex items-center gap-2 rounded border border-line-2 bg-sheet py-1 pr-1 pl-3">
            <State kind={toast.kind}>
              <span className="whitespace-normal text-ink">{toast.text}</span>
            </State>
            <IconButton label="Dismiss" onClick={() => drop(toast.id)}>
              ✕
            </IconButton>
          </div>
        ))}
      </div>
    </Context>
  );
}
