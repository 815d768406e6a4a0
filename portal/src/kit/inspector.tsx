import { useEffect, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";

/** A list and, at its side, the one of its rows that is open. On narrow screens the open one covers the list. */
export function WithInspector({ children, inspector }: { children: ReactNode; inspector: ReactNode }): ReactNode {
  return (
    <div className="flex min-h-0 min-w-0 flex-1 items-stretch gap-2.5">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
      {inspector}
    </div>
  );
}

/** What a row opens to. `Esc` closes it, and the focus goes back to where it came from. */
export function Inspector({
  title,
  onClose,
  actions,
  children,
}: {
  title: ReactNode;
  onClose: () => void;
  actions?: ReactNode;
  children: ReactNode;
}): ReactNode {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const cameFrom = document.activeElement;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector('[role="dialog"],[role="menu"]'))
        return;
      close.current();
      if (cameFrom instanceof HTMLElement) cameFrom.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <aside
      aria-label="Details"
      className="flex min-h-0 flex-col overflow-auto rounded border border-line bg-sheet max-lg:fixed max-lg:inset-0 max-lg:z-30 max-lg:rounded-none lg:w-[380px] lg:shrink-0"
    >
      <header className="sticky top-0 flex items-center gap-2 border-b border-line bg-sheet px-3.5 py-2">
        <h2 className="min-w-0 flex-1 truncate">{title}</h2>
        {actions}
        <IconButton label="Close (Esc)" onClick={onClose}>
          ✕
        </IconButton>
      </header>
      <div className="flex min-w-0 flex-col gap-3 p-3.5">{children}</div>
    </aside>
  );
}
