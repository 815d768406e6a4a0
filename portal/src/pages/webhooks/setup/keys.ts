import type { KeyboardEvent } from "react";

/** `⌘↵` and `Ctrl Enter` send a form, also from a field of several lines. */
export function submitKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
