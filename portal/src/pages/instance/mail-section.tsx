import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Facts, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import type { Instance } from "./types.ts";

type Mail = NonNullable<Instance["mail"]>;

const SECURITY: Record<Mail["security"], string> = {
  tls: "TLS from the first byte",
  starttls: "TLS by STARTTLS, required",
  none: "not encrypted",
};

const COMMAND = `export MOORING_SMTP_URL=smtps://USER:PASSWORD@mail.example.com
export MOORING_MAIL_FROM='Mooring <noreply@example.com>'
mooring serve`;

/** Shows the mail server, and sends a test mail. */
export function MailSection({ mail }: { mail: Instance["mail"] }): ReactNode {
  if (mail === null)
    return (
      <Section title="E-mail" about="not set up">
        <p>
          Invitation and set-up links are only shown to the person who creates them. With a mail server, the invited
          people get them by e-mail. Set these variables, and restart the server:
        </p>
        <CopyBlock text={COMMAND} label="commands that set up e-mail" />
      </Section>
    );
  return (
    <Section title="E-mail" about="set up">
      <Facts
        items={[
          ["Mail server", <code key="host">{`${mail.host}:${mail.port}`}</code>],
          [
            "Encryption",
            <State key="security" kind={mail.security === "none" ? "warn" : "go"}>
              {SECURITY[mail.security]}
            </State>,
          ],
          ["From", <code key="from">{mail.from}</code>],
        ]}
      />
      <Undelivered mails={mail.undelivered} />
      <TestForm />
    </Section>
  );
}

/** Lists the mails that no mail server has accepted. */
function Undelivered({ mails }: { mails: Mail["undelivered"] }): ReactNode {
  if (mails.length === 0) return null;
  return (
    <ul className="mt-3 flex flex-col gap-2 border-t border-line pt-3" aria-label="undelivered mails">
      {mails.map((mail) => (
        <li key={mail.id} className="[overflow-wrap:anywhere]">
          <State kind={mail.state === "waiting" ? "warn" : "stop"}>
            {mail.state === "waiting" ? "waits for another attempt" : "failed"}
          </State>{" "}
          {mail.subject}, to {mail.to}
          {mail.failure !== null && `: ${mail.failure}`}
          {mail.next_attempt_at !== null && (
            <>
              {" "}
              Next attempt <Time at={mail.next_attempt_at} />.
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function TestForm(): ReactNode {
  const { user } = useSession();
  const [to, setTo] = useState(user.email);
  const test = useAct(PORTAL_ROUTES.sendTestMail);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    test.mutate({ body: { to: to.trim() }, purpose: "send a test mail" });
  };
  return (
    <form onSubmit={submit} className="mt-3 flex max-w-[480px] flex-col gap-3 border-t border-line pt-3">
      <TextField
        label="Send a test mail to"
        type="email"
        required
        maxLength={254}
        error={placeText(test.error, "/to")}
        value={to}
        onChange={(event) => setTo(event.target.value)}
      />
      <ErrorNote error={restOf(test.error, ["/to"])} />
      <div aria-live="polite">{test.data !== undefined && <Answer answer={test.data} />}</div>
      <Button look="main" type="submit" className="self-start" busy={test.isPending} disabled={to.trim() === ""}>
        Send
      </Button>
    </form>
  );
}

/** Shows the mail server's answer. */
function Answer({ answer }: { answer: ResultOf<typeof PORTAL_ROUTES.sendTestMail> }): ReactNode {
  const { reply, failure, duration_ms: durationMs } = answer;
  return (
    <div className="flex flex-col gap-1 [overflow-wrap:anywhere]">
      <State kind={failure === null ? "go" : "stop"}>
        {failure === null ? `The mail server accepted it after ${durationMs} ms` : "It was not sent"}
      </State>
      {failure !== null && <p>{failure}</p>}
      {reply !== null && (
        <code>
          {reply.code} {reply.text}
        </code>
      )}
    </div>
  );
}
