import type { KeyboardEvent } from "react";

/** `⌘↵` and `Ctrl Enter` submit a form, also from a text area. */
export function submitKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
