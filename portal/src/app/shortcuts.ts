import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { singleKeysOn } from "~/kit/single-keys.ts";
import { pagePath } from "./page-link.tsx";
import { PAGES } from "./pages.ts";
import { useAddress } from "./scope.ts";

const JUMP_WITHIN_MS = 1500;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input,textarea,select,[contenteditable=true]") !== null;
}

/** Clicks the submit button of the form, so that a disabled button sends nothing. */
function sendForm(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const form = target.closest("form") ?? target.closest('[role="dialog"]')?.querySelector("form");
  const button = form?.querySelector<HTMLElement>("button[type=submit]");
  button?.click();
  return button !== null && button !== undefined;
}

/**
 * Handles `⌘K`, `Ctrl K`, `⌘↵` and `Ctrl ↵` everywhere, and `g` with a page's key, `/` and `?` outside of text fields.
 */
export function useShortcuts(does: { openPalette: () => void; openShortcuts: () => void }): void {
  const navigate = useNavigate();
  const { org, project = "-" } = useAddress();
  const latest = useRef(does);
  latest.current = does;
  useEffect(() => {
    let jumpUntilMs = 0;
    const single = (event: KeyboardEvent): boolean => {
      if (performance.now() < jumpUntilMs) {
        jumpUntilMs = 0;
        const page = PAGES.find(({ key }) => key === event.key);
        if (page === undefined || org === undefined) return false;
        void navigate({ to: pagePath(org, project, page.path) });
        return true;
      }
      if (event.key === "g") jumpUntilMs = performance.now() + JUMP_WITHIN_MS;
      else if (event.key === "?") latest.current.openShortcuts();
      else if (event.key === "/") document.querySelector<HTMLElement>("main [data-search]")?.focus();
      else return false;
      return true;
    };
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key === "k") {
        event.preventDefault();
        latest.current.openPalette();
        return;
      }
      if ((event.metaKey || event.ctrlKey) && event.key === "Enter" && !event.defaultPrevented) {
        if (sendForm(event.target)) event.preventDefault();
        return;
      }
      const free = !isTyping(event.target) && document.querySelector('[role="dialog"],[role="menu"]') === null;
      if (!free || event.metaKey || event.ctrlKey || event.altKey || !singleKeysOn()) return;
      if (single(event)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, org, project]);
}
