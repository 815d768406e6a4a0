import { useEffect, useRef, useState, type ReactNode } from "react";
import { TextInput } from "./field.tsx";

interface SearchFieldProps {
  /** What is looked for; also the placeholder. */
  label: string;
  value: string | undefined;
  /** What was typed; undefined when nothing is left. */
  onChange: (text: string | undefined) => void;
  /** How long nobody may have typed before it is told. */
  waitMs?: number;
}

/** A page's search, which `/` goes to. What is typed is seen at once; the address follows. */
export function SearchField({ label, value = "", onChange, waitMs = 0 }: SearchFieldProps): ReactNode {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Another value than what was told: a link or the history changed it.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      told.current = next;
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
