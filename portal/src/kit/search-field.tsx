import { useEffect, useRef, useState, type ReactNode } from "react";
import { TextInput } from "./field.tsx";

interface SearchFieldProps {
  /** The accessible name; also the placeholder. */
  label: string;
  value: string | undefined;
  /** Called with the text, or undefined if it is empty. */
  onChange: (text: string | undefined) => void;
  /** How long typing must pause before `onChange` is called. */
  waitMs?: number;
}

/** A page's search field, which `/` focuses. The text in it changes at once, the address after a pause. */
export function SearchField({ label, value = "", onChange, waitMs = 0 }: SearchFieldProps): ReactNode {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // The value is not the reported one, so a link or the history has changed it.
    if (value !== reported.current) setText(value);
    reported.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      reported.current = next;
      onChange(next === "" ? undefined : next);
    }, waitMs);
  };
  return (
    <span className="inline-flex w-60 max-w-full">
      <TextInput
        data-search
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
    </span>
  );
}
