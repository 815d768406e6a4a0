import { bodyOfRole, titleOfRole, valueOfRole } from "~/access/roles.tsx";
import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useList } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { LinkDialog, type NewInvitation } from "./invite-dialog.tsx";
import { usePeople } from "~/access/people.ts";

type Invitation = ResultOf<typeof ORGANIZATION_ROUTES.listInvitations>["items"][number];

const KINDS: Readonly<Record<Invitation["status"], StateKind>> = {
  pending: "warn",
  accepted: "go",
  revoked: "stop",
  expired: "none",
};

interface InvitationsProps {
  search: { readonly closed?: boolean | undefined };
  onChange: (part: { closed: boolean | undefined }) => void;
}

/** Lists the invitations. If a link is lost, a new one is shown once, and the old one stops working. */
export function Invitations({ search, onChange }: InvitationsProps): ReactNode {
  const list = useList(ORGANIZATION_ROUTES.listInvitations, {});
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [made, setMade] = useState<NewInvitation | null>(null);
  const [isRevoking, setRevoking] = useState(false);
  const again = useAgain(setMade);
  const open = list.items.filter(({ status }) => status === "pending");
  const shown = search.closed === true ? list.items : open;
  const picked = open.filter(({ id }) => chosen.has(id));
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const columns = useColumns({ chosen, toggle, isBusy: again.isPending, onAgain: again.run });
  return (
    <Section
      title="Invitations"
      about={list.isPending ? undefined : `${open.length} open${list.hasMore ? " so far" : ""}`}
      actions={
        <>
          <span className="self-center">
            <Checkbox
              label="Show closed"
              checked={search.closed === true}
              onChange={(event) => onChange({ closed: event.target.checked ? true : undefined })}
            />
          </span>
          <Button look="danger" disabled={picked.length === 0} onClick={() => setRevoking(true)}>
            Revoke {picked.length > 0 && picked.length}
          </Button>
        </>
      }
      flush
    >
      <ErrorNote error={again.error} />
      <ListTable
        label="Invitations, newest first"
        list={{ ...list, items: shown }}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <>
            <p className="p-3.5 text-ink-2">
              {list.hasMore ? "No open invitation among the loaded ones." : "There are no open invitations."}
            </p>
            {list.hasMore && <More list={list} />}
          </>
        }
      />
      {made !== null && <LinkDialog made={made} onClose={() => setMade(null)} />}
      {isRevoking && (
        <RevokeDialog invitations={picked} onDone={() => setChosen(new Set())} onClose={() => setRevoking(false)} />
      )}
    </Section>
  );
}

/**
 * Creates a new link, and sends it by e-mail if the server has a mail server. A revoked invitation is created again.
 */
function useAgain(onMade: (made: NewInvitation) => void): {
  run: (invitation: Invitation) => void;
  isPending: boolean;
  error: Error | null;
} {
  const changes = [ORGANIZATION_ROUTES.listInvitations];
  const renew = useAct(ORGANIZATION_ROUTES.renewInvitation, { changes, onDone: onMade });
  const create = useAct(ORGANIZATION_ROUTES.createInvitation, { changes, onDone: onMade });
  return {
    run: ({ id, email, status, membership_expires_at: end, ...held }) => {
      const limits = end === null ? {} : { membership_expires_at: end };
      if (status === "revoked") create.mutate({ body: { email, ...bodyOfRole(valueOfRole(held)), ...limits } });
      else renew.mutate({ params: { invitation_id: id }, body: {} });
    },
    isPending: renew.isPending || create.isPending,
    error: renew.error ?? create.error,
  };
}

function useColumns({
  chosen,
  toggle,
  isBusy,
  onAgain,
}: {
  chosen: ReadonlySet<string>;
  toggle: (id: string) => void;
  isBusy: boolean;
  onAgain: (invitation: Invitation) => void;
}): readonly Column<Invitation>[] {
  const people = usePeople();
  return [
    {
      title: "E-mail",
      grow: true,
      cell: ({ id, email, status }) =>
        status === "pending" ? (
          <Checkbox label={email} checked={chosen.has(id)} onChange={() => toggle(id)} />
        ) : (
          <span className="pl-6">{email}</span>
        ),
    },
    { title: "Role", cell: titleOfRole },
    {
      title: "Membership ends",
      cell: ({ membership_expires_at }) => <Time at={membership_expires_at} none="no end" />,
    },
    { title: "State", cell: ({ status }) => <State kind={KINDS[status]}>{status}</State> },
    { title: "E-mailed", cell: (invitation) => <MailState invitation={invitation} /> },
    { title: "Link ends", cell: ({ status, expires_at }) => (status === "pending" ? <Time at={expires_at} /> : "") },
    { title: "By", cell: ({ invited_by }) => people?.get(invited_by)?.name ?? <code>{invited_by.slice(0, 9)}…</code> },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Link",
      cell: (invitation) =>
        invitation.status !== "accepted" && (
          <Button
            look="quiet"
            disabled={isBusy}
            onClick={() => onAgain(invitation)}
            aria-label={`Create link for ${invitation.email}`}
          >
            Create link
          </Button>
        ),
    },
  ];
}

/** The state of the e-mail with the link. */
function MailState({ invitation }: { invitation: Pick<Invitation, "email_sent_at" | "email_failure"> }): ReactNode {
  const { email_sent_at: sentAt, email_failure: failure } = invitation;
  if (failure !== null)
    return (
      <span title={failure}>
        <State kind="stop">not taken</State>
        <span className="sr-only">: {failure}</span>
      </span>
    );
  return sentAt === null ? <span className="text-ink-2">no</span> : <Time at={sentAt} />;
}

function RevokeDialog({
  invitations,
  onDone,
  onClose,
}: {
  invitations: readonly Invitation[];
  onDone: () => void;
  onClose: () => void;
}): ReactNode {
  const say = useSay();
  const revoke = useAct(ORGANIZATION_ROUTES.revokeInvitation, { changes: [ORGANIZATION_ROUTES.listInvitations] });
  const run = async (): Promise<void> => {
    try {
      for (const { id } of invitations) await revoke.mutateAsync({ params: { invitation_id: id } });
    } catch {
      return; // the dialog shows it; the previous ones are revoked
    }
    say(`${plural(invitations.length, "invitation")} revoked`);
    onDone();
    onClose();
  };
  return (
    <DangerDialog
      title={`Revoke ${plural(invitations.length, "invitation")}`}
      about={
        <>
          <p>These links stop working at once. You can create a new invitation at any time.</p>
          <ul className="list-disc pl-5">
            {invitations.map(({ id, email }) => (
              <li key={id}>{email}</li>
            ))}
          </ul>
        </>
      }
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => void run()}
      onClose={onClose}
    />
  );
}
