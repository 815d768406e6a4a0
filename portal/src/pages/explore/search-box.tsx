import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { Dialog } from "~/kit/dialog.tsx";
import { TextInput } from "~/kit/field.tsx";
import { parseSearch } from "./search-language.ts";

interface SearchBoxProps {
  search: string;
  onRun: (search: string) => void;
  isRunning: boolean;
  onCancel: () => void;
  /** The time range, at the right of the field. */
  children: ReactNode;
}

/** The search field. Enter runs the search. Mistakes are explained, with their position. */
export function SearchBox({ search, onRun, isRunning, onCancel, children }: SearchBoxProps): ReactNode {
  const [text, setText] = useState(search);
  const [tried, setTried] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  useEffect(() => setText(search), [search]);
  const { mistakes } = parseSearch(text);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (mistakes.length === 0) onRun(text.trim());
  };
  const shown = tried || text === search ? mistakes : [];
  return (
    <form role="search" onSubmit={submit} className="flex shrink-0 flex-col gap-1">
      <div className="flex flex-wrap gap-2">
        <div className="relative min-w-0 flex-1 basis-72">
          <TextInput
            data-search
            type="search"
            aria-label="Search the logs"
            aria-invalid={shown.length > 0}
            aria-describedby="search-mistakes"
            aria-keyshortcuts="/"
            className="mono pr-8"
            placeholder={'level:error service:payments "card declined"'}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setTried(false);
            }}
          />
          {text === "" && <kbd className="pointer-events-none absolute top-1.5 right-2">/</kbd>}
        </div>
        {children}
        {isRunning ? (
          <Button onClick={onCancel}>Cancel</Button>
        ) : (
          <Button look="main" type="submit">
            Run <span aria-hidden="true">⏎</span>
          </Button>
        )}
        <Button
          look="quiet"
          className="w-[30px] px-0"
          aria-label="How to search"
          title="How to search"
          onClick={() => setHelpOpen(true)}
        >
          ?
        </Button>
      </div>
      <ul id="search-mistakes" role="status" className="text-stop empty:hidden">
        {shown.map(({ at, text: wrong, advice }) => (
          <li key={at}>
            <code>{wrong}</code> at character {at + 1}: {advice}
          </li>
        ))}
      </ul>
      {helpOpen && <SearchHelp onClose={() => setHelpOpen(false)} />}
    </form>
  );
}

const HELP: readonly (readonly [example: string, meaning: string])[] = [
  ["declined", "the message contains it, in upper or lower case"],
  ['"card declined"', "the message contains exactly these words"],
  ["level:error", "this level, in every spelling; level:error,warn for both levels"],
  ["level:>=warn", "this level and more severe ones"],
  ["service:payments", "this service"],
  ["trace_id:4bf92f35…", "this trace; span_id works in the same way"],
  ["order:58211", "the attribute order has this value; dots are part of names"],
  ["duration_ms:>250", "the attribute is a number greater than 250; also >=, <, <="],
  ["host:web*", "the attribute begins with this"],
  ["user:*", "the entry has this attribute"],
  ["-level:debug", "a minus excludes entries that match the term"],
  ["attributes.level:x", "an attribute with the same name as a column"],
];

function SearchHelp({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog
      title="How to search"
      about="An entry must match all terms. For other searches, open the search as SQL."
      onClose={onClose}
      wide
    >
      <table tabIndex={0} aria-label="Terms" className="w-full border-collapse">
        <tbody>
          {HELP.map(([example, meaning]) => (
            <tr key={example} className="border-b border-line last:border-0">
              <th scope="row" className="py-1.5 pr-4 text-left font-normal whitespace-nowrap">
                <code>{example}</code>
              </th>
              <td className="py-1.5 text-ink-2">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
