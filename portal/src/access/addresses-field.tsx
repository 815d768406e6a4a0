import type { ReactNode } from "react";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Field, TextArea } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import { allowsAddress, faultOf, readAddressList } from "./address-list.ts";

interface AddressesProps {
  label: string;
  hint: ReactNode;
  text: string;
  onChange: (text: string) => void;
  /** The warning if the person's own address is not in the list. */
  shutOut: ReactNode;
}

/** A field for addresses and ranges. It shows the person's address, and warns if the list does not contain it. */
export function AddressesField({ label, hint, text, onChange, shutOut }: AddressesProps): ReactNode {
  const list = readAddressList(text);
  const own = useMe()?.address;
  const isMissing = own !== undefined && !allowsAddress(list.ranges, own);
  return (
    <div className="flex flex-col gap-1.5">
      <Field label={label} hint={hint} error={faultOf(list)}>
        {(bound) => (
          <TextArea
            {...bound}
            className="min-h-14 font-mono"
            rows={2}
            value={text}
            placeholder="192.0.2.0/24, 2001:db8::/32"
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {own !== undefined && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button
            disabled={list.ranges.includes(own)}
            onClick={() => onChange([text.trim(), own].filter((part) => part !== "").join("\n"))}
          >
            Add my address
          </Button>
          <span className="text-s text-ink-2">
            Your address is <code>{own}</code>
          </span>
        </div>
      )}
      <p role="status">
        {isMissing && (
          <State kind="warn">
            <span className="whitespace-normal">{shutOut}</span>
          </State>
        )}
      </p>
    </div>
  );
}

/** Ranges, as shown in an inspector. */
export function AddressesText({ ranges }: { ranges: readonly string[] | null }): ReactNode {
  if (ranges === null) return "Anywhere";
  return (
    <span className="flex flex-col">
      {ranges.map((range) => (
        <code key={range}>{range}</code>
      ))}
    </span>
  );
}
