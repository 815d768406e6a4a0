import { useEffect, useLayoutEffect, useRef, useSyncExternalStore, type ReactNode, type RefObject } from "react";
import { IconButton } from "./button.tsx";

/** A list with an inspector at its side. On narrow screens the inspector covers the list. */
export function WithInspector({ children, inspector }: { children: ReactNode; inspector: ReactNode }): ReactNode {
  return (
    <div className="flex min-h-0 min-w-0 flex-1 items-stretch gap-2.5">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
      {inspector}
    </div>
  );
}

/**
 * The panel of an open row. Enter on the open row moves the focus into it. `Esc` closes it and returns the focus to the
 * row. If it covers the page, it gets the focus at once, and the page under it is inert.
 */
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
  const box = useRef<HTMLElement>(null);
  const close = useInspectorKeys(box, onClose);
  useCover(box);
  return (
    <aside
      ref={box}
      tabIndex={-1}
      aria-label="Details"
      className="flex min-h-0 flex-col overflow-auto rounded border border-line bg-sheet focus-visible:-outline-offset-2 max-lg:fixed max-lg:inset-0 max-lg:z-30 max-lg:rounded-none lg:w-[380px] lg:shrink-0"
    >
      <header className="sticky top-0 z-10 flex items-center gap-2 border-b border-line bg-sheet px-3.5 py-2">
        <h2 className="min-w-0 flex-1 truncate">{title}</h2>
        {actions}
        <IconButton label="Close (Esc)" onClick={close}>
          ✕
        </IconButton>
      </header>
      <div className="flex min-w-0 flex-col gap-3 p-3.5">{children}</div>
    </aside>
  );
}

const OPENER = "main [data-opener]";

/** Finds the open row; in a grid, the active cell. */
const openRow = (): HTMLElement | null =>
  document.querySelector<HTMLElement>(`${OPENER}[data-opener=open][tabindex="0"], button[data-opener=open]`);

function useInspectorKeys(box: RefObject<HTMLElement | null>, onClose: () => void): () => void {
  const latest = useRef(onClose);
  latest.current = onClose;
  const cameFrom = useRef<Element | null>(null);
  const close = useRef(() => {
    const { activeElement } = document;
    const isInside = activeElement === document.body || box.current?.contains(activeElement) === true;
    const back = openRow() ?? cameFrom.current;
    latest.current();
    // The page is inert until the inspector is removed.
    if (isInside) requestAnimationFrame(() => back instanceof HTMLElement && back.focus());
  }).current;
  useEffect(() => {
    cameFrom.current = document.activeElement;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('[role="dialog"],[role="menu"]') !== null) return;
      const isOnOpenRow = event.target instanceof HTMLElement && event.target.matches(`${OPENER}[data-opener=open]`);
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && isOnOpenRow) {
        event.preventDefault();
        box.current?.focus();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [box, close]);
  return close;
}

const narrow = matchMedia("(width < 64rem)");

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** Makes the rest of the page inert while the inspector covers it, except dialogs and messages. */
function useCover(box: RefObject<HTMLElement | null>): void {
  const covers = useSyncExternalStore(onNarrow, () => narrow.matches);
  useLayoutEffect(() => {
    if (!covers || box.current === null) return;
    const behind: HTMLElement[] = [];
    for (let each: Element | null = box.current; each !== null && each.id !== "root"; each = each.parentElement) {
      for (const sibling of each.parentElement?.children ?? [])
        if (sibling !== each && sibling instanceof HTMLElement && !sibling.inert) behind.push(sibling);
      if (each.tagName === "MAIN") break;
    }
    for (const element of behind) element.inert = true;
    box.current.focus();
    return () => {
      for (const element of behind) element.inert = false;
    };
  }, [covers, box]);
}
