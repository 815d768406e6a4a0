import type { ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { Time } from "~/kit/time.tsx";
import { useAddress } from "./scope.ts";

/** Says on every page of a read-only organization that nothing can be changed, and why. */
export function SuspensionNote(): ReactNode {
  const { org } = useAddress();
  const known = useSession().organizations.find(({ slug }) => slug === org);
  if (known === undefined || known.state !== "read_only") return null;
  const { suspended_at: since, state_reason: reason } = known;
  return (
    <section
      aria-label="This organization is read-only"
      className="mb-4 flex flex-col gap-1 rounded border border-warn bg-warn-2 px-3 py-2"
    >
      <h2>This organization is read-only</h2>
      <p>
        The operator of this server suspended it
        {since !== null && (
          <>
            {" "}
            on <Time at={since} />
          </>
        )}
        . Everything can be read, and access can be taken away, but nothing can be written or changed.
        {reason !== null && ` The operator's reason: ${reason.replace(/\.$/, "")}.`}
      </p>
    </section>
  );
}
