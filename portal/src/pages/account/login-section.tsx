import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { messageOf } from "~/kit/error-note.tsx";
import { plural } from "~/kit/figures.ts";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";

type Login = ResultOf<typeof PORTAL_ROUTES.listLogins>["items"][number];

const FLOWS: Record<Login["flow"], string> = { browser: "browser on it", device: "code" };

/** Lists the person's logins of the command line, and ends them. */
export function LoginSection(): ReactNode {
  const logins = useRead(PORTAL_ROUTES.listLogins, {}, { refetchMs: 30_000 });
  const say = useSay();
  const end = useAct(PORTAL_ROUTES.deleteLogin, {
    changes: [PORTAL_ROUTES.listLogins],
    onDone: () => say("The login has ended."),
  });
  const endOne = ({ id }: Login): void =>
    end.mutate({ params: { login_id: id } }, { onError: (error) => say(messageOf(error), "stop") });
  return (
    <Section
      title="Command line"
      flush
      about={logins.data && `${plural(logins.data.items.length, "login")}, latest first`}
    >
      <Loaded result={logins}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No login">
              <p>
                <code>mooring login</code> signs you in to the command line. It then acts as you in one organization.
              </p>
            </Empty>
          ) : (
            <Table
              label="Logins of the command line"
              columns={columns(endOne, end.isPending ? end.variables.params.login_id : null)}
              items={items}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function columns(onEnd: (login: Login) => void, ending: string | null): readonly Column<Login>[] {
  return [
    { title: "Machine", grow: true, cell: ({ name }) => name },
    { title: "Organization", cell: ({ organization }) => <code>{organization}</code> },
    { title: "From", cell: ({ ip }) => (ip === null ? "unknown" : <code>{ip}</code>) },
    { title: "Approved by", cell: ({ flow }) => FLOWS[flow] },
    { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: "Began", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: "Actions",
      cell: (login) => (
        <Button
          look="quiet"
          className="h-6"
          aria-label={`End the login of ${login.name}`}
          busy={ending === login.id}
          onClick={() => onEnd(login)}
        >
          End
        </Button>
      ),
    },
  ];
}
