import type { ReactNode } from "react";
import { AddressesField } from "~/access/addresses-field.tsx";
import { Checkbox } from "~/kit/field.tsx";
import type { Policy } from "./policy.ts";

interface Part {
  policy: Policy;
  onChange: (policy: Policy) => void;
}

/**
 * Sets whether new credentials need an expiry. With a maximum lifetime every credential has one, so the box is
 * disabled.
 */
export function ExpiryField({ policy, onChange }: Part): ReactNode {
  const isGiven = policy.credential_lifetime_days_max !== null;
  return (
    <Checkbox
      label="Require an expiry for each new credential or S3 key"
      why={
        isGiven
          ? "All credentials expire because of the maximum lifetime above."
          : "New ones without an expiry are refused. Existing ones stay valid."
      }
      checked={isGiven || policy.require_expiry}
      disabled={isGiven}
      onChange={(event) => onChange({ ...policy, require_expiry: event.target.checked })}
    />
  );
}

/** Approvals of credentials, and logins that need no browser on the machine. */
export function ApprovalFields(part: Part): ReactNode {
  return (
    <>
      <ApprovalField {...part} />
      <DeviceLoginField {...part} />
    </>
  );
}

function ApprovalField({ policy, onChange }: Part): ReactNode {
  return (
    <Checkbox
      label="Credentials and keys of developers, maintainers and programs wait for an approval"
      why={
        <>
          Until an owner or admin approves it, a new credential gets no token and a new S3 key is refused. After that,
          only people with <code>members:write</code>can give it more permissions. Existing ones stay valid.
        </>
      }
      checked={policy.approval_required}
      onChange={(event) => onChange({ ...policy, approval_required: event.target.checked })}
    />
  );
}

function DeviceLoginField({ policy, onChange }: Part): ReactNode {
  return (
    <Checkbox
      label="People may sign in to the command line by a code"
      why="For machines without a browser (mooring login --device). A stranger could ask a member to enter a code. Without it, a login needs a browser on the same machine."
      checked={policy.device_login}
      onChange={(event) => onChange({ ...policy, device_login: event.target.checked })}
    />
  );
}

export function PolicyAddresses({ text, onChange }: { text: string; onChange: (text: string) => void }): ReactNode {
  return (
    <div className="max-w-xl">
      <AddressesField
        label="Credentials and S3 keys may be used from"
        hint="Addresses and CIDR ranges, in addition to the list of each credential. Empty: from anywhere. Within a second, all requests from other addresses are refused, also with issued tokens. People can use the portal from anywhere."
        text={text}
        onChange={onChange}
        shutOut="Your own address is not in this list. Programs at your address will be refused, also your command line. You can undo this in the portal."
      />
    </div>
  );
}
