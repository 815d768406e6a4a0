import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { messageOf } from "~/kit/error-note.tsx";
import { browserText } from "./user-agent.ts";

type Session = ResultOf<typeof PORTAL_ROUTES.listSessions>["items"][number];

const METHODS: Record<Session["method"], string> = {
  set_up: "set-up link",
  password: "password",
  password_totp: "password and app",
  recovery_code: "password and recovery code",
  reset_link: "password reset link",
  passkey: "passkey",
  oidc: "single sign-on",
};

/** Lists the person's sessions, and ends them. */
export function SessionSection(): ReactNode {
  const sessions = useRead(PORTAL_ROUTES.listSessions, {}, { refetchMs: 30_000 });
  const [asked, setAsked] = useState(false);
  const say = useSay();
  const changes = [PORTAL_ROUTES.listSessions];
  const end = useAct(PORTAL_ROUTES.deleteSession, { changes, onDone: () => say("The session has ended.") });
  const endOthers = useAct(PORTAL_ROUTES.deleteOtherSessions, {
    changes,
    onDone: ({ ended }) => {
      setAsked(false);
      say(`${plural(ended, "session")} ended.`);
    },
  });
  const others = sessions.data?.items.filter(({ current }) => !current).length ?? 0;
  const endOne = ({ id }: Session): void =>
    end.mutate({ params: { session_id: id } }, { onError: (error) => say(messageOf(error), "stop") });
  return (
    <Section
      title="Sessions"
      flush
      about={sessions.data && `${plural(sessions.data.items.length, "session")}, latest first`}
      actions={
        <Button
          look="danger"
          disabled={others === 0}
          title={others === 0 ? "There is no other session" : undefined}
          onClick={() => setAsked(true)}
        >
          End all others
        </Button>
      }
    >
      <Loaded result={sessions}>
        {({ items }) => (
          <Table
            label="Sessions"
            columns={columns(endOne, end.isPending ? end.variables.params.session_id : null)}
            items={items.toSorted((a, b) => rank(b).localeCompare(rank(a)))}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
      {asked && (
        <DangerDialog
          title="End all other sessions"
          about={`${plural(others, "other browser")} must sign in again. Unsaved input there is lost. This session, logins of the command line, credentials and personal access tokens stay valid.`}
          action={`End ${plural(others, "session")}`}
          busy={endOthers.isPending}
          error={endOthers.error}
          onConfirm={() => endOthers.mutate({ body: {} })}
          onClose={() => setAsked(false)}
        />
      )}
    </Section>
  );
}

/** Sorts the current session first, then by the last use. */
function rank({ current, last_seen_at }: Session): string {
  return `${current ? 1 : 0}${last_seen_at}`;
}

function columns(onEnd: (session: Session) => void, ending: string | null): readonly Column<Session>[] {
  return [
    {
      title: "Browser",
      grow: true,
      cell: ({ user_agent }) => <span title={user_agent ?? undefined}>{browserText(user_agent)}</span>,
    },
    { title: "From", cell: ({ ip }) => (ip === null ? "unknown" : <code>{ip}</code>) },
    { title: "Signed in by", cell: ({ method }) => METHODS[method] },
    { title: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { title: "Began", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: "Actions",
      cell: (session) =>
        session.current ? (
          <State kind="go">this one</State>
        ) : (
          <Button
            look="quiet"
            className="h-6"
            aria-label={`End the session of ${browserText(session.user_agent)}`}
            busy={ending === session.id}
            onClick={() => onEnd(session)}
          >
            End
          </Button>
        ),
    },
  ];
}
