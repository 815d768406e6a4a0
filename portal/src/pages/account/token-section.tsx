import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct, useRead } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural, relativeText } from "~/kit/figures.ts";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { CreateToken } from "./create-token.tsx";
import { dockerLogin } from "./token-snippets.ts";

type Token = ResultOf<typeof PORTAL_ROUTES.listPersonalAccessTokens>["items"][number];

/** Personal access tokens, for the APIs, and for programs that ask for a password, for example docker. */
export function TokenSection(): ReactNode {
  const tokens = useRead(PORTAL_ROUTES.listPersonalAccessTokens, {});
  const { user, organizations } = useSession();
  const addresses = useAddresses();
  const [search, setSearch] = useSearchState<{ new: boolean | undefined }>();
  const [revoking, setRevoking] = useState<Token | null>(null);
  const [isOpen, setOpen] = useState(search.new === true);
  const create = (
    <Button
      look="main"
      disabled={organizations.length === 0}
      title={organizations.length === 0 ? "You are in no organization" : undefined}
      onClick={() => setOpen(true)}
    >
      Create token
    </Button>
  );
  return (
    <Section
      title="Personal access tokens"
      flush
      about={tokens.data && tokens.data.items.length > 0 ? plural(tokens.data.items.length, "token") : undefined}
      actions={create}
    >
      <Loaded result={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No token yet">
              <p>
                A token works for the APIs as you, and as your password for <code>docker login</code>, in one
                organization. It never has more permissions than you, and stops working when you leave the organization.
                For programs of a team, use credentials.
              </p>
              <CopyBlock text={dockerLogin(addresses?.registry_domain ?? location.host, user.email)} />
            </Empty>
          ) : (
            <Table label="Personal access tokens" columns={columns(setRevoking)} items={items} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isOpen && (
        <CreateToken
          onClose={() => {
            setOpen(false);
            if (search.new === true) setSearch({ new: undefined });
          }}
        />
      )}
      {revoking !== null && <RevokeToken token={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

function columns(onRevoke: (token: Token) => void): readonly Column<Token>[] {
  return [
    {
      title: "Name",
      grow: true,
      cell: ({ name, pending }) => (
        <>
          {name} {pending && <State kind="warn">Waits for approval</State>}
        </>
      ),
    },
    { title: "Organization", cell: ({ organization }) => <code>{organization}</code> },
    { title: "Permissions", cell: ({ scopes }) => <code>{scopes.join(" ")}</code> },
    { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Expires", cell: ({ expires_at }) => <Expiry at={expires_at} /> },
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

const SOON_MS = 7 * 24 * 60 * 60_000;

function Expiry({ at }: { at: string | null }): ReactNode {
  if (at === null) return <State kind="none">never</State>;
  const left = Date.parse(at) - Date.now();
  if (left > SOON_MS) return <Time at={at} />;
  return <State kind={left > 0 ? "warn" : "stop"}>{left > 0 ? <Time at={at} /> : "expired"}</State>;
}

function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }): ReactNode {
  const say = useSay();
  const revoke = useAct(PORTAL_ROUTES.deletePersonalAccessToken, {
    changes: [PORTAL_ROUTES.listPersonalAccessTokens],
    onDone: () => {
      say(`The token ${token.name} is revoked.`);
      onClose();
    },
  });
  const used = token.last_used_at === null ? "never" : relativeText(new Date(token.last_used_at), new Date());
  return (
    <DangerDialog
      title={`Revoke ${token.name}`}
      about={
        <p>
          Clients that use it will be refused at their next request in <code>{token.organization}</code>. Last used:{" "}
          {used}. This cannot be undone.
        </p>
      }
      type={token.name}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ params: { token_id: token.id } })}
      onClose={onClose}
    />
  );
}
