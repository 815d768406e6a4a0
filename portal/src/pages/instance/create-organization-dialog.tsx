import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useRenewSession } from "~/people/renew-session.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import { SLUG_PATTERN, slugOf } from "./slug.ts";

type Created = ResultOf<typeof PORTAL_ROUTES.createOrganization>;

/** Creates an organization for its owner, then shows the link that the owner needs, once. */
export function CreateOrganizationDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState("");
  const [slug, setSlug] = useState<string | null>(null);
  const [email, setEmail] = useState("");
  const renew = useRenewSession();
  const create = useAct(PORTAL_ROUTES.createOrganization, {
    changes: [PORTAL_ROUTES.listOrganizations],
    onDone: renew,
  });
  if (create.data !== undefined) return <CreatedDialog created={create.data} email={email} onClose={onClose} />;
  const shownSlug = slug ?? slugOf(name);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({
      body: { name: name.trim(), slug: shownSlug, owner_email: email.trim() },
      purpose: "create the organization",
    });
  };
  return (
    <Dialog
      title="Create organization"
      about="Its owner gets a set-up link. You do not become a member."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          autoFocus
          required
          maxLength={100}
          error={placeText(create.error, "/name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Slug"
          hint="Part of addresses, image names and commands. 2 to 39 characters: a-z, 0-9 and hyphens. Only an operator can change it."
          className="mono"
          required
          pattern={SLUG_PATTERN}
          error={placeText(create.error, "/slug")}
          value={shownSlug}
          onChange={(event) => setSlug(event.target.value)}
        />
        <TextField
          label="E-mail address of the owner"
          hint="A person with an account here becomes the owner at once. Others get a set-up link."
          type="email"
          required
          error={placeText(create.error, "/owner_email")}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <ErrorNote error={restOf(create.error, ["/name", "/slug", "/owner_email"])} />
        <FormActions action="Create" busy={create.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function CreatedDialog({
  created,
  email,
  onClose,
}: {
  created: Created;
  email: string;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog holdsSecret title={`${created.name} is created`} onClose={onClose} wide>
      {created.setup_url === null ? (
        <p>
          {email} has an account and is the owner. They see <code>{created.slug}</code> at their next visit.
        </p>
      ) : (
        <>
          {created.email !== null && created.email.failure === null ? (
            <p>
              This set-up link was sent to {email} by e-mail. It works once, within a day. The person who opens it
              becomes the owner.
            </p>
          ) : (
            <p>
              Send this set-up link to {email}. Make sure that only they can read it. It works once, within a day. The
              person who opens it becomes the owner.
            </p>
          )}
          {created.email !== null && created.email.failure !== null && (
            <p role="alert" className="[overflow-wrap:anywhere]">
              {created.email.failure}
            </p>
          )}
          <CopyBlock text={created.setup_url} label="Set-up link" />
          <State kind="warn">
            <span className="whitespace-normal">It is shown only once.</span>
          </State>
        </>
      )}
      <DialogActions>
        <Button look="main" onClick={onClose}>
          {created.setup_url === null ? "Close" : "I have sent it"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
