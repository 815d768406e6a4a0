import { ORG_ROLES, ORGANIZATION_ROUTES, type MemberRole, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { bodyOfRole, CustomRoleOptions, titleOfRole, useCustomRoles, type RoleValue } from "~/access/roles.tsx";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { MomentField } from "~/kit/moment-fields.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { aboutRole, whyNotGiven } from "./rules.ts";

export type NewInvitation = ResultOf<typeof ORGANIZATION_ROUTES.createInvitation>;

/** Invites a person. The link is shown once. */
export function InviteDialog({ onClose }: { onClose: () => void }): ReactNode {
  const mine = useMe()?.role ?? null;
  const [email, setEmail] = useState("");
  const { sends_email: sendsEmail } = useSession();
  const [byEmail, setByEmail] = useState(true);
  const [role, setRole] = useState<RoleValue<MemberRole>>("developer");
  const custom = useCustomRoles("organization");
  const [end, setEnd] = useState<string>();
  const invite = useAct(ORGANIZATION_ROUTES.createInvitation, { changes: [ORGANIZATION_ROUTES.listInvitations] });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const limits = end === undefined ? {} : { membership_expires_at: end };
    invite.mutate({ body: { email: email.trim(), ...bodyOfRole(role), send_email: sendsEmail && byEmail, ...limits } });
  };
  if (invite.data !== undefined) return <LinkDialog made={invite.data} onClose={onClose} />;
  return (
    <Dialog title="Invite a person" about="The link is valid for seven days, for one account." onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="E-mail"
          type="email"
          required
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label="Role in the organization"
          hint={aboutRole(role, custom)}
          value={role}
          onChange={(event) => setRole(event.target.value as RoleValue<MemberRole>)}
        >
          {ORG_ROLES.map((one) => {
            const why = whyNotGiven(one, mine);
            return (
              <option key={one} value={one} disabled={why !== null}>
                {one}
                {why !== null && `: ${why}`}
              </option>
            );
          })}
          <CustomRoleOptions roles={custom} />
        </SelectField>
        <MomentField
          label="Membership ends (UTC)"
          hint="Empty: no end. From then on, the person has no access, and their credentials stop."
          value={end}
          onChange={setEnd}
        />
        {sendsEmail && (
          <Checkbox
            label="Send the link by e-mail"
            checked={byEmail}
            onChange={(event) => setByEmail(event.target.checked)}
          />
        )}
        <ErrorNote error={invite.error} />
        <FormActions
          action={sendsEmail && byEmail ? "Invite" : "Create link"}
          busy={invite.isPending}
          disabled={email.trim() === ""}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

/** Shows an invitation's link, which cannot be shown again. */
export function LinkDialog({ made, onClose }: { made: NewInvitation; onClose: () => void }): ReactNode {
  return (
    <Dialog
      holdsSecret
      title={`Link for ${made.email}`}
      about={
        made.email_sent_at === null
          ? "It is shown only once, and no e-mail was sent. Send it to the person yourself. Everybody with the link can accept."
          : "It was sent to the person by e-mail, and is shown only once. Everybody with the link can accept."
      }
      onClose={onClose}
    >
      {made.email_sent_at !== null && <State kind="go">Sent by e-mail</State>}
      {made.email_failure !== null && (
        <p role="alert" className="rounded border border-stop bg-stop-2 px-3 py-2 [overflow-wrap:anywhere]">
          {made.email_failure}
        </p>
      )}
      {made.link === null ? (
        <p>The request was repeated, and a link is shown only once. Create a new link in the list.</p>
      ) : (
        <CopyBlock text={made.link} label="invitation link" />
      )}
      <p className="text-ink-2">
        For the role {titleOfRole(made)}; the link ends <Time at={made.expires_at} />
        {made.membership_expires_at !== null && (
          <>
            , the membership <Time at={made.membership_expires_at} />
          </>
        )}
        .
      </p>
      <DialogActions>
        <Button look="main" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
