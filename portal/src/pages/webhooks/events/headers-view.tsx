import type { ReactNode } from "react";
import { visibleText } from "~/kit/foreign.ts";
import { isRedacted } from "../redacted.ts";
import { State } from "~/kit/state.tsx";

/** Shows the header fields in their order. Credentials are stored only as hashes, which is marked. */
export function HeadersView({ headers }: { headers: readonly (readonly string[])[] }): ReactNode {
  const redacted = headers.filter(([, value]) => isRedacted(value)).map(([name = ""]) => name);
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3>Headers</h3>
      {redacted.length > 0 && (
        <p>
          <State kind="none">not kept</State> {visibleText(redacted.join(", "))}. Values that look like a sender's
          secret are stored as a hash.
        </p>
      )}
      <div className="overflow-x-auto rounded border border-line" tabIndex={0} role="group" aria-label="Header fields">
        <table className="w-full border-collapse">
          <thead className="sr-only">
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {headers.map(([name = "", value = ""], index) => (
              <tr key={index} className="group align-top">
                <th
                  scope="row"
                  className="mono border-b border-line px-2 py-0.5 text-left font-normal whitespace-nowrap text-ink-2 group-last:border-b-0"
                >
                  {visibleText(name)}
                </th>
                <td className="mono min-w-32 border-b border-line px-2 py-0.5 [overflow-wrap:anywhere] group-last:border-b-0">
                  {isRedacted(value) ? <i>{value}</i> : visibleText(value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
