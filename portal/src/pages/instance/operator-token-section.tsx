import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { expiresAt } from "~/access/draft.ts";
import { ExpiryField } from "~/access/expiry-field.tsx";
import { useAct, useRead } from "~/api/queries.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { SecretDialog } from "~/kit/secret-dialog.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";

type Token = ResultOf<typeof PORTAL_ROUTES.listOperatorTokens>["items"][number];

/** Lists the operator tokens, creates one, and revokes one. */
export function OperatorTokenSection(): ReactNode {
  const tokens = useRead(PORTAL_ROUTES.listOperatorTokens, {});
  const [isOpen, setOpen] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  return (
    <Section title="Operator tokens" flush actions={<Button onClick={() => setOpen(true)}>Create token</Button>}>
      <Loaded result={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No token yet">
              <p>
                A program manages organizations with an operator token. It reads nothing inside an organization, and
                ends with the role of its creator.
              </p>
            </Empty>
          ) : (
            <Table label="Operator tokens" columns={columns(setRevoking)} items={items} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isOpen && <CreateDialog onClose={() => setOpen(false)} />}
      {revoking !== null && <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

function columns(onRevoke: (token: Token) => void): readonly Column<Token>[] {
  return [
    { title: "Name", grow: true, cell: ({ name }) => name },
    { title: "Created by", cell: ({ created_by: by }) => by ?? "a command on the machine" },
    { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
    { title: "Expires", cell: ({ expires_at: at }) => <Time at={at} none="never" /> },
    { title: "Last used", cell: ({ last_used_at: at }) => <Time at={at} none="never" /> },
    {
      title: "Actions",
      cell: (token) => (
        <Button look="quiet" className="h-6" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      ),
    },
  ];
}

const CHANGES = [PORTAL_ROUTES.listOperatorTokens];
const DEFAULT_DAYS = 90;

function CreateDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState("");
  const [days, setDays] = useState<number | null>(DEFAULT_DAYS);
  const create = useAct(PORTAL_ROUTES.createOperatorToken, { changes: CHANGES });
  if (create.data !== undefined)
    return (
      <SecretDialog
        title={`${create.data.item.name} is created`}
        label="Operator token"
        secret={create.data.token}
        another="Revoke this token and create another one."
        onClose={onClose}
      />
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { name: name.trim(), expires_at: expiresAt(days, null, Date.now()) };
    create.mutate({ body, purpose: "create the operator token" });
  };
  return (
    <Dialog title="Create operator token" about="For programs that manage organizations." onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          hint="The program that uses it"
          autoFocus
          required
          maxLength={100}
          error={placeText(create.error, "/name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <ExpiryField days={days} onChange={setDays} />
        <ErrorNote error={restOf(create.error, ["/name"])} />
        <FormActions action="Create" busy={create.isPending} disabled={name.trim() === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function RevokeDialog({ token, onClose }: { token: Token; onClose: () => void }): ReactNode {
  const say = useSay();
  const revoke = useAct(PORTAL_ROUTES.revokeOperatorToken, {
    changes: CHANGES,
    onDone: () => {
      say(`The operator token ${token.name} is revoked.`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Revoke ${token.name}`}
      about={<p>Programs that use it are refused at their next request. This cannot be undone.</p>}
      type={token.name}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ params: { token_id: token.id }, purpose: "revoke the operator token" })}
      onClose={onClose}
    />
  );
}
