import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useList, useRead } from "~/api/queries.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { Checkbox, TextInput } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Empty, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { DeletePersonDialog } from "./delete-person-dialog.tsx";
import { ResetLinkDialog } from "./reset-link-dialog.tsx";
import type { Account } from "./types.ts";

/** Lists all accounts of the server, and marks unverified addresses. */
export function AccountSection(): ReactNode {
  const [search, setSearch] = useSearchState<{ q: string | undefined; unverified: boolean | undefined }>();
  const [resetting, setResetting] = useState<Account | null>(null);
  const [deleting, setDeleting] = useState<Account | null>(null);
  const query = search.q ?? "";
  const filter = { ...(query === "" ? {} : { q: query }), ...(search.unverified === true ? { unverified: true } : {}) };
  const accounts = useList(PORTAL_ROUTES.listAccounts, { query: filter });
  const { data: first } = useRead(PORTAL_ROUTES.listAccounts, { query: { limit: 1 } });
  return (
    <Section
      title="Accounts"
      flush
      about={
        first &&
        (first.unverified === 0
          ? "every address is verified"
          : `${first.unverified_is_lower_bound === true ? "more than " : ""}${plural(first.unverified, "address", "addresses")} not verified`)
      }
      actions={
        <span className="w-44">
          <TextInput
            type="search"
            data-search
            aria-label="Search accounts by address or name"
            placeholder="Search"
            value={query}
            onChange={(event) => setSearch({ q: event.target.value === "" ? undefined : event.target.value })}
          />
        </span>
      }
    >
      <div className="px-3.5 py-2">
        <Checkbox
          label="Only unverified addresses"
          why="Somebody other than the address's owner may have created such an account. A link by e-mail, single sign-on or a reset link from this page verifies the address."
          checked={search.unverified === true}
          onChange={(event) => setSearch({ unverified: event.target.checked ? true : undefined })}
        />
      </div>
      <ListTable
        label="Accounts"
        columns={columns({ onReset: setResetting, onDelete: setDeleting })}
        list={accounts}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No such account">
            <p>An account is created by a set-up link or an accepted invitation.</p>
          </Empty>
        }
      />
      {resetting !== null && <ResetLinkDialog account={resetting} onClose={() => setResetting(null)} />}
      {deleting !== null && <DeletePersonDialog account={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  );
}

interface Acts {
  readonly onReset: (account: Account) => void;
  readonly onDelete: (account: Account) => void;
}

function columns({ onReset, onDelete }: Acts): readonly Column<Account>[] {
  return [
    { title: "Address", grow: true, cell: ({ email }) => <Copyable text={email} /> },
    { title: "Name", cell: ({ name }) => name },
    {
      title: "Proved",
      cell: (account) =>
        account.verified_at === null ? (
          <State kind={account.last_seen_at === null ? "none" : "warn"}>no</State>
        ) : (
          <Time at={account.verified_at} />
        ),
    },
    { title: "Second factor", cell: ({ has_second_factor: has }) => (has ? "app" : "none") },
    { title: "Last seen", cell: ({ last_seen_at: at }) => <Time at={at} none="never" /> },
    { title: "Organizations", cell: ({ organizations }) => organizations.join(", ") },
    {
      title: "Reset",
      cell: (account) => (
        <Button look="quiet" className="h-6" onClick={() => onReset(account)} aria-label={`Reset ${account.email}`}>
          Reset…
        </Button>
      ),
    },
    {
      title: "Delete",
      cell: (account) => (
        <Button look="quiet" className="h-6" onClick={() => onDelete(account)} aria-label={`Delete ${account.email}`}>
          Delete…
        </Button>
      ),
    },
  ];
}
