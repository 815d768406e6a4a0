import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { pagePath } from "~/app/page-link.tsx";
import { WHOLE_ORGANIZATION } from "~/app/scope.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Empty, Facts, Section } from "~/kit/page.tsx";
import { Badge } from "~/kit/state.tsx";
import { useSay } from "~/kit/toast.tsx";
import { useRenewSession } from "~/people/renew-session.ts";

/** The person's name, address and organizations. */
export function ProfileSection(): ReactNode {
  const { user, organizations } = useSession();
  const [name, setName] = useState(user.name);
  const renew = useRenewSession();
  const say = useSay();
  const update = useAct(PORTAL_ROUTES.updateAccount, {
    onDone: () => {
      renew();
      say("Your name is changed.");
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    update.mutate({ body: { name: name.trim() }, purpose: "change your name" });
  };
  return (
    <>
      <Section title="You">
        <form onSubmit={submit} className="flex max-w-[420px] flex-col gap-3">
          <TextField
            label="Name"
            autoComplete="name"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <ErrorNote error={update.error} />
          <Button
            type="submit"
            look="main"
            className="self-start"
            busy={update.isPending}
            disabled={name.trim() === "" || name.trim() === user.name}
          >
            Save
          </Button>
        </form>
        <Facts
          items={[
            ["Id", <Copyable key="id" text={user.id} />],
            ...(user.instance_admin ? ([["Server", "you are the operator of this server"]] as const) : []),
          ]}
        />
      </Section>
      <Section title="Organizations">
        {organizations.length === 0 ? (
          <Empty
            title="You are in no organization"
            action={user.instance_admin ? <ButtonLink to="/instance">Create organization</ButtonLink> : undefined}
          >
            <p>Everything here belongs to an organization. Ask an owner of one to invite {user.email}.</p>
          </Empty>
        ) : (
          <ul className="flex flex-col gap-1">
            {organizations.map(({ id, slug, name: title, role }) => (
              <li key={id} className="flex flex-wrap items-center gap-2">
                <ButtonLink to={pagePath(slug, WHOLE_ORGANIZATION, "")}>{title}</ButtonLink>
                {title !== slug && <code>{slug}</code>}
                <Badge>{role}</Badge>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}
