import type { ReactNode } from "react";
import { Badge, State } from "~/kit/state.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import type { Credential } from "./credentials.ts";
import { countdown } from "./state.ts";

/** Shows the accepted secrets: two during the overlap of a rotation. */
export function Secrets({ secrets, children }: Pick<Credential, "secrets"> & { children?: ReactNode }): ReactNode {
  const isTwo = secrets.length > 1;
  const now = useNow(isTwo ? 1000 : 0);
  if (secrets.length === 0) return <p className="text-ink-2">No secret is accepted.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {secrets.map((secret, index) => {
        const left = secret.expires_at === null ? null : countdown(secret.expires_at, now.getTime());
        return (
          <li key={secret.id}>
            <p className="flex flex-wrap items-center gap-x-2">
              <code>…{secret.hint}</code>
              {isTwo && <Badge>{index === 0 ? "new" : "old"}</Badge>}
              <span className="text-ink-2">
                created <Time at={secret.created_at} />, last used <Time at={secret.last_used_at} />
              </span>
            </p>
            {isTwo && index > 0 && (
              <State kind="warn">
                <span className="whitespace-normal tabular-nums">
                  {left === null ? "Ends now" : `Ends in ${left}`}
                  {secret.last_used_at === null ? "; not used any more" : ". Replace it everywhere before then"}
                </span>
              </State>
            )}
          </li>
        );
      })}
      {children}
    </ul>
  );
}
