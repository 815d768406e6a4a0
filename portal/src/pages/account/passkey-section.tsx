import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { Badge } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { AddPasskey } from "~/people/add-passkey.tsx";
import { PasskeyPlace } from "~/people/passkey-place.tsx";
import { useRenewSession } from "~/people/renew-session.ts";
import { useSignInMethods } from "~/people/sign-in-methods.ts";

type Passkey = ResultOf<typeof PORTAL_ROUTES.listPasskeys>["items"][number];
type Open = "add" | { readonly rename: Passkey } | { readonly delete: Passkey } | null;

/** The passkeys of the account: create, rename, delete. */
export function PasskeySection(): ReactNode {
  const passkeys = useRead(PORTAL_ROUTES.listPasskeys, {});
  const { hasPasskeys } = useSignInMethods();
  const [open, setOpen] = useState<Open>(null);
  const say = useSay();
  const close = (): void => setOpen(null);
  const add = (
    <Button look="main" disabled={!hasPasskeys} onClick={() => setOpen("add")}>
      Create passkey
    </Button>
  );
  return (
    <Section title="Passkeys" flush actions={add}>
      <Loaded result={passkeys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No passkey yet">
              <p>A device or a password manager signs you in, without a password that somebody could steal.</p>
              <PasskeyPlace />
            </Empty>
          ) : (
            <>
              <Table label="Passkeys" columns={columns(setOpen)} items={items} keyOf={({ id }) => id} />
              <div className="px-3.5 py-2 empty:hidden">
                <PasskeyPlace />
              </div>
            </>
          )
        }
      </Loaded>
      {open === "add" && (
        <Dialog title="Create passkey" onClose={close}>
          <AddPasskey
            onCancel={close}
            onDone={() => {
              close();
              say("The passkey is created. You can sign in with it now.");
            }}
          />
        </Dialog>
      )}
      {open !== null && open !== "add" && "rename" in open && <RenameDialog passkey={open.rename} onClose={close} />}
      {open !== null && open !== "add" && "delete" in open && <DeleteDialog passkey={open.delete} onClose={close} />}
    </Section>
  );
}

function columns(open: (what: Open) => void): readonly Column<Passkey>[] {
  return [
    { title: "Name", grow: true, cell: ({ name }) => name },
    {
      title: "Kept",
      cell: ({ synced }) => <Badge>{synced ? "by a password manager or account" : "on one device"}</Badge>,
    },
    { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Actions",
      cell: (passkey) => (
        <span className="flex gap-1">
          <Button
            look="quiet"
            className="h-6"
            aria-label={`Rename ${passkey.name}`}
            onClick={() => open({ rename: passkey })}
          >
            Rename
          </Button>
          <Button
            look="quiet"
            className="h-6"
            aria-label={`Delete ${passkey.name}`}
            onClick={() => open({ delete: passkey })}
          >
            Delete
          </Button>
        </span>
      ),
    },
  ];
}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }): ReactNode {
  const [name, setName] = useState(passkey.name);
  const update = useAct(PORTAL_ROUTES.updatePasskey, { changes: [PORTAL_ROUTES.listPasskeys], onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    update.mutate({ params: { passkey_id: passkey.id }, body: { name: name.trim() } });
  };
  return (
    <Dialog title="Rename the passkey" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          autoFocus
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <ErrorNote error={update.error} />
        <FormActions action="Rename" busy={update.isPending} disabled={name.trim() === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function DeleteDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }): ReactNode {
  const { security } = useSession();
  const renew = useRenewSession();
  const say = useSay();
  const remove = useAct(PORTAL_ROUTES.deletePasskey, {
    changes: [PORTAL_ROUTES.listPasskeys],
    onDone: () => {
      renew();
      say(`The passkey ${passkey.name} is deleted.`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Delete ${passkey.name}`}
      about={
        <>
          <p>
            Nobody can sign in with it any more. Sessions that it started continue. The device or password manager shows
            it until you delete it there.
          </p>
          {security.passkeys === 1 && (
            <p className="mt-2">It is your last passkey. Then you sign in with your password.</p>
          )}
        </>
      }
      type={passkey.name}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { passkey_id: passkey.id } })}
      onClose={onClose}
    />
  );
}
