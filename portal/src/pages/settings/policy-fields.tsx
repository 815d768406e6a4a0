import type { ReactNode } from "react";
import { AddressesField } from "~/access/addresses-field.tsx";
import { Checkbox } from "~/kit/field.tsx";
import type { Policy } from "./policy.ts";

interface Part {
  policy: Policy;
  onChange: (policy: Policy) => void;
}

/** Whether new credentials need an expiry. With a maximum lifetime every credential has one, so the box is disabled. */
export function ExpiryField({ policy, onChange }: Part): ReactNode {
  const isGiven = policy.credential_lifetime_days_max !== null;
  return (
    <Checkbox
      label="Require an expiry for each new credential or S3 key"
      why={
        isGiven
          ? "The days above give each an end already."
          : "One without an end can't be made any more; those that there are go on without one."
      }
      checked={isGiven || policy.require_expiry}
      disabled={isGiven}
      onChange={(event) => onChange({ ...policy, require_expiry: event.target.checked })}
    />
  );
}

export function ApprovalField({ policy, onChange }: Part): ReactNode {
  return (
    <Checkbox
      label="What developers, maintainers and programs make waits for an approval"
      why={
        <>
          Until an owner or admin approves it, a new credential gets no token and a new S3 key is refused; afterwards
          only they (who hold <code>members:write</code>) give it more. Those that there are go on.
        </>
      }
      checked={policy.approval_required}
      onChange={(event) => onChange({ ...policy, approval_required: event.target.checked })}
    />
  );
}

export function PolicyAddresses({ text, onChange }: { text: string; onChange: (text: string) => void }): ReactNode {
  return (
    <div className="max-w-xl">
      <AddressesField
        label="Credentials and S3 keys may be used from"
        hint="Addresses and CIDR ranges, in addition to each one’s own list; empty: from anywhere. From other addresses all of them are refused within a second, issued tokens too. People in the portal are not limited."
        text={text}
        onChange={onChange}
        shutOut="Your own address is not in this list: every program at it will be refused, your command line with a credential as well. You can take it back here, in the portal."
      />
    </div>
  );
}
