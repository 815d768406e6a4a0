import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Facts, Page as Frame, Section } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { OrganizationField, useChosenOrganization } from "~/people/organization-field.tsx";

type Waiting = ResultOf<typeof PORTAL_ROUTES.findDeviceLogin>;

/**
 * A person approves a login on another machine (RFC 8628). They type the code: an address with a code could be sent by
 * a stranger.
 */
export function Page(): ReactNode {
  const [found, setFound] = useState<{ code: string; waiting: Waiting } | null>(null);
  const [result, setResult] = useState<string | null>(null);
  return (
    <Frame title="Sign in on another machine">
      <Section>
        {result !== null ? (
          <p role="status">{result}</p>
        ) : found === null ? (
          <CodeForm onFound={(code, waiting) => setFound({ code, waiting })} />
        ) : (
          <Decide code={found.code} waiting={found.waiting} onDone={setResult} />
        )}
      </Section>
    </Frame>
  );
}

function CodeForm({ onFound }: { onFound: (code: string, waiting: Waiting) => void }): ReactNode {
  const [code, setCode] = useState("");
  const find = useAct(PORTAL_ROUTES.findDeviceLogin, { onDone: (waiting) => onFound(code, waiting) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    find.mutate({ body: { user_code: code }, purpose: "find the login" });
  };
  return (
    <form onSubmit={submit} className="flex max-w-sm flex-col gap-3">
      <TextField
        label="Code"
        hint="The code that mooring login --device printed. Never enter a code that somebody sent to you."
        autoFocus
        required
        minLength={8}
        maxLength={32}
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <ErrorNote error={find.error} />
      <Button look="main" type="submit" busy={find.isPending} className="self-start">
        Continue
      </Button>
    </form>
  );
}

function Decide({
  code,
  waiting,
  onDone,
}: {
  code: string;
  waiting: Waiting;
  onDone: (result: string) => void;
}): ReactNode {
  const { user } = useSession();
  const [organization, setOrganization] = useChosenOrganization(waiting.organization);
  const approve = useAct(PORTAL_ROUTES.approveDeviceLogin, {
    onDone: () =>
      onDone("Approved. The command on the other machine continues in a few seconds. You can close this page."),
  });
  const deny = useAct(PORTAL_ROUTES.denyDeviceLogin, {
    onDone: () => onDone("Denied. The machine gets no access. You can close this page."),
  });
  const busy = approve.isPending || deny.isPending;
  return (
    <div className="flex max-w-xl flex-col gap-4">
      <h2>Did you start this just now?</h2>
      <p>
        A machine wants to act as you, with all your permissions in one organization. If somebody asked you to enter the
        code, deny it: they would get your access.
      </p>
      <Facts
        items={[
          ["Person", user.email],
          ["Program", "mooring, the command line"],
          ["Machine", waiting.name],
          ["Address", <code key="address">{waiting.ip ?? "unknown"}</code>],
          ["Started", <Time key="time" at={waiting.created_at} />],
        ]}
      />
      <OrganizationField value={organization} onChange={setOrganization} />
      <ErrorNote error={approve.error ?? deny.error} />
      <div className="flex gap-2">
        <Button
          look="main"
          busy={approve.isPending}
          disabled={busy || organization === ""}
          onClick={() => approve.mutate({ body: { user_code: code, organization }, purpose: "approve the login" })}
        >
          Yes, approve
        </Button>
        <Button
          look="danger"
          busy={deny.isPending}
          disabled={busy}
          onClick={() => deny.mutate({ body: { user_code: code }, purpose: "deny the login" })}
        >
          No, deny
        </Button>
      </div>
    </div>
  );
}
