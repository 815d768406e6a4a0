import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { PasswordField } from "~/kit/password-field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Facts } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";

type Finding = ResultOf<typeof ORGANIZATION_ROUTES.findLeak>;
type LeakOwner = NonNullable<Finding["owner"]>;

/** Opens a dialog that finds the owner of a secret. */
export function FindLeak(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Find a leaked secret</Button>
      {isOpen && <FindDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function FindDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [secret, setSecret] = useState("");
  const find = useAct(ORGANIZATION_ROUTES.findLeak);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    find.mutate({ body: { secret: secret.trim() } });
  };
  return (
    <Dialog title="Find a leaked secret" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <PasswordField
          label="Secret"
          autoComplete="off"
          hint="Any secret of this server: of a credential or S3 key, a token, a cookie, a link, an address of a webhook. It is neither stored nor logged."
          value={secret}
          onChange={(event) => {
            setSecret(event.target.value);
            find.reset();
          }}
        />
        <ErrorNote error={find.error} />
        {find.data !== undefined && <Found finding={find.data} />}
        <FormActions action="Find" busy={find.isPending} disabled={secret.trim() === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function Found({ finding: { kind, owner } }: { finding: Finding }): ReactNode {
  const form = kind?.replaceAll("_", " ") ?? "no form that this server uses";
  if (owner === null)
    return (
      <p role="status">
        Unknown here ({form}). It was deleted, belongs to another organization or server, or you may not see it.
      </p>
    );
  return (
    <div role="status" className="flex flex-col gap-3">
      <Facts items={factsOf(form, owner)} />
      {owner.next.length > 0 && (
        <>
          <p>To replace or end it:</p>
          <CopyBlock text={owner.next.join("\n")} />
        </>
      )}
    </div>
  );
}

function factsOf(form: string, owner: LeakOwner): readonly (readonly [string, ReactNode])[] {
  const { responsible } = owner;
  return [
    ["Kind", form],
    ["Id", <code key="id">{owner.id}</code>],
    ...(owner.name === null ? [] : [["Name", visibleText(owner.name)] as const]),
    ["Responsible", visibleText(responsible.name ?? responsible.id ?? responsible.kind)],
    [
      "State",
      <State key="state" kind={owner.is_live ? "stop" : "go"}>
        {owner.is_live ? "It works" : `It does not work: ${owner.reason ?? ""}`}
      </State>,
    ],
    ...(owner.scopes.length === 0 ? [] : [["Can do", <code key="scopes">{owner.scopes.join(" ")}</code>] as const]),
    ["Last used", <LastUse key="used" owner={owner} />],
  ];
}

function LastUse({ owner: { last_used_at: at, last_used_ip: ip } }: { owner: LeakOwner }): ReactNode {
  return (
    <>
      <Time at={at} />
      {ip !== null && (
        <>
          {" "}
          from <code>{ip}</code>
        </>
      )}
    </>
  );
}
