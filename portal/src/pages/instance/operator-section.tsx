import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { useRenewSession } from "~/people/renew-session.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";

type Operator = ResultOf<typeof PORTAL_ROUTES.listOperators>["items"][number];

/** Lists the operators, and gives and takes the role. */
export function OperatorSection(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [leaving, setLeaving] = useState<Operator | null>(null);
  const operators = useRead(PORTAL_ROUTES.listOperators, {});
  return (
    <Section title="Operators" flush actions={<Button onClick={() => setOpen(true)}>Add operator</Button>}>
      <Loaded result={operators}>
        {({ items }) => (
          <Table label="Operators" columns={columns(items.length, setLeaving)} items={items} keyOf={({ id }) => id} />
        )}
      </Loaded>
      {isOpen && <GiveDialog onClose={() => setOpen(false)} />}
      {leaving !== null && <TakeDialog operator={leaving} onClose={() => setLeaving(null)} />}
    </Section>
  );
}

function columns(count: number, onTake: (operator: Operator) => void): readonly Column<Operator>[] {
  return [
    { title: "E-mail address", grow: true, cell: ({ email }) => email },
    { title: "Name", cell: ({ name }) => name },
    {
      title: "State",
      cell: ({ is_set_up: isSetUp }) =>
        isSetUp ? <State kind="go">active</State> : <State kind="none">invited</State>,
    },
    { title: "Last seen", cell: ({ last_seen_at: at }) => <Time at={at} /> },
    {
      title: "Role",
      cell: (operator) => (
        <Button
          look="quiet"
          className="h-6"
          disabled={count < 2}
          title={count < 2 ? "The last operator keeps the role" : undefined}
          onClick={() => onTake(operator)}
        >
          Remove
        </Button>
      ),
    },
  ];
}

const CHANGES = [PORTAL_ROUTES.listOperators];

function GiveDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [email, setEmail] = useState("");
  const say = useSay();
  const give = useAct(PORTAL_ROUTES.giveOperatorRole, {
    changes: CHANGES,
    onDone: ({ email: added }) => {
      say(`${added} is an operator`);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    give.mutate({ body: { email: email.trim() }, purpose: "add the operator" });
  };
  return (
    <Dialog
      title="Add operator"
      about="Operators run this server: they manage all organizations, accounts, keys and backups, and can add other operators."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="E-mail address"
          hint="The person must have an account here."
          type="email"
          required
          autoFocus
          error={placeText(give.error, "/email")}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <ErrorNote error={restOf(give.error, ["/email"])} />
        <FormActions action="Add" busy={give.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function TakeDialog({ operator, onClose }: { operator: Operator; onClose: () => void }): ReactNode {
  const { user } = useSession();
  const renew = useRenewSession();
  const take = useAct(PORTAL_ROUTES.takeOperatorRole, {
    changes: CHANGES,
    onDone: () => {
      renew();
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Remove ${operator.email} as operator`}
      about={
        <p>
          {operator.id === user.id ? "You lose this page at once." : "They lose this page at once."} Operator tokens
          that this person created end. Their account and memberships stay.
        </p>
      }
      action="Remove"
      busy={take.isPending}
      error={take.error}
      onConfirm={() => take.mutate({ params: { user_id: operator.id }, purpose: "remove the operator" })}
      onClose={onClose}
    />
  );
}
