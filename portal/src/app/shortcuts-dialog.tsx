import { useState, type ReactNode } from "react";
import { Dialog } from "~/kit/dialog.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { PAGES } from "./pages.ts";
import { setSingleKeys, singleKeysOn } from "~/kit/single-keys.ts";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["⌘K", "go anywhere"],
  ["/", "search on this page"],
  ["j k", "move in a list"],
  ["Enter", "open a row; press again to move the focus into it"],
  ["Esc", "close, and go back"],
  ["⌘↵", "run, or send a form"],
  ["?", "this list"],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [on, setOn] = useState(singleKeysOn);
  const jumps = PAGES.flatMap(({ key, title }) => (key === undefined ? [] : [[`g ${key}`, title] as const]));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1.5 sm:grid-cols-[max-content_1fr_max-content_1fr]">
        {[...KEYS, ...jumps].map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label="Keys without ⌘ or Ctrl"
        why="Turn them off if speech input or another tool sends single letters."
        checked={on}
        onChange={(event) => {
          setSingleKeys(event.target.checked);
          setOn(event.target.checked);
        }}
      />
    </Dialog>
  );
}
