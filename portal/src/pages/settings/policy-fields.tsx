import type { ReactNode } from "react";
import { AddressesField } from "~/access/addresses-field.tsx";
import { usePeople } from "~/access/people.ts";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
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

/** Approvals, logins that need no browser on the machine, and the credentials of people who leave. */
export function ApprovalFields(part: Part): ReactNode {
  return (
    <>
      <ApprovalField {...part} />
      <DeviceLoginField {...part} />
      <LeavingFields {...part} />
      <AuditRetentionField {...part} />
    </>
  );
}

function AuditRetentionField({ policy, onChange }: Part): ReactNode {
  return (
    <div className="max-w-xl">
      <TextField
        label="Entries of the audit log are kept for (days)"
        hint="Older entries are deleted for good, and a signed entry records it. Empty: the server’s default."
        type="number"
        min={30}
        max={36_500}
        value={policy.audit_retention_days ?? ""}
        onChange={({ target }) =>
          onChange({ ...policy, audit_retention_days: target.value === "" ? null : Number(target.value) })
        }
      />
    </div>
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

/** Decides about the credentials of members who leave. */
function LeavingFields({ policy, onChange }: Part): ReactNode {
  const people = [...(usePeople()?.values() ?? [])];
  return (
    <div className="flex max-w-xl flex-col gap-4">
      <SelectField
        label="Credentials of a member who leaves"
        hint="The default for removals from the organization or a project. The person or program that removes them can decide otherwise."
        value={policy.orphans}
        onChange={({ target }) => onChange({ ...policy, orphans: target.value === "revoke" ? "revoke" : "adopt" })}
      >
        <option value="adopt">pass to the person who removes them</option>
        <option value="revoke">are revoked</option>
      </SelectField>
      <SelectField
        label="If a program removes them and no person is responsible for it, pass them to"
        hint="Without a person here, such a program must say that they are revoked."
        value={policy.heir ?? ""}
        onChange={({ target }) => onChange({ ...policy, heir: target.value === "" ? null : target.value })}
      >
        <option value="">nobody</option>
        {policy.heir !== null && people.every(({ user_id: id }) => id !== policy.heir) && (
          <option value={policy.heir}>a former member</option>
        )}
        {people.map(({ user_id: id, name, email }) => (
          <option key={id} value={id}>
            {name} ({email})
          </option>
        ))}
      </SelectField>
    </div>
  );
}

type Bound = Policy["allowed_addresses_for"];

const BOUND: Readonly<Record<Bound, string>> = {
  programs: "Programs: credentials and S3 keys",
  people: "People: the portal and logins of the command line",
  both: "Programs and people",
};

/** The list of addresses, and whom it binds. */
export function PolicyAddresses({
  text,
  onText,
  policy,
  onChange,
}: Part & { text: string; onText: (text: string) => void }): ReactNode {
  const { allowed_addresses_for: bound } = policy;
  return (
    <div className="flex max-w-xl flex-col gap-4">
      <AddressesField
        label="The organization may be used from"
        hint="Addresses and CIDR ranges, in addition to the list of each credential. Empty: from anywhere. Within a second, all requests from other addresses are refused, also with issued tokens."
        text={text}
        onChange={onText}
        shutOut={
          bound === "programs"
            ? "Your own address is not in this list. Programs at your address will be refused. You can undo this in the portal."
            : "Your own address is not in this list, so you would lock yourself out. Add it before you save."
        }
      />
      <SelectField
        label="The list applies to"
        hint="Personal access tokens count as both. A list for people applies to owners, too: give each of them an address in it."
        value={bound}
        onChange={({ target }) => onChange({ ...policy, allowed_addresses_for: target.value as Bound })}
      >
        {(Object.keys(BOUND) as Bound[]).map((each) => (
          <option key={each} value={each}>
            {BOUND[each]}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
