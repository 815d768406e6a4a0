import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";

interface WarningsProps {
  /** The consequence of a rotation without an overlap, if one was chosen. */
  atOnce: ReactNode;
  /** Says which former secret ends now, if there is one. */
  former: ReactNode;
}

/** The warnings of a dialog that rotates a credential or a key. */
export function RotationWarnings({ atOnce, former }: WarningsProps): ReactNode {
  return (
    <>
      {atOnce !== null && <Warning>{atOnce}</Warning>}
      {former !== null && <Warning>{former}</Warning>}
    </>
  );
}

function Warning({ children }: { children: ReactNode }): ReactNode {
  return (
    <State kind="warn">
      <span className="whitespace-normal">{children}</span>
    </State>
  );
}

/** Says that the older one of two secrets ends now; null if there is only one. */
export function secondSecretText(noun: string, secrets: readonly { readonly hint: string }[]): ReactNode {
  if (secrets.length < 2) return null;
  return (
    <>
      This {noun} has two secrets already. The older one, ending in <code>{secrets.at(-1)?.hint}</code>, ends now.
    </>
  );
}
