import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { sessionQuery } from "~/api/session.ts";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { durationText } from "~/kit/figures.ts";
import { Facts, Section } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { DeleteSection } from "./delete-section.tsx";
import { ChangeError, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";

type Organization = ResultOf<typeof ORGANIZATION_ROUTES.getOrganization>;

const LIFETIMES_S = [300, 600, 900, 1800, 3600];

/** Changes the name and the lifetime of access tokens. It does not overwrite other people's changes. */
export function OrganizationForm({
  versioned: { value, etag },
  onReload,
}: {
  versioned: Versioned<Organization>;
  onReload: () => void;
}): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const say = useSay();
  const queries = useQueryClient();
  const [name, setName] = useState(value.name);
  const [lifetimeS, setLifetimeS] = useState(value.token_lifetime_s);
  const save = useVersionedChange(ORGANIZATION_ROUTES.updateOrganization, {
    changes: [ORGANIZATION_ROUTES.getOrganization, ORGANIZATION_ROUTES.getMe],
    onDone: () => {
      say("Saved");
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const body = {
    ...(name.trim() === value.name ? {} : { name: name.trim() }),
    ...(lifetimeS === value.token_lifetime_s ? {} : { token_lifetime_s: lifetimeS }),
  };
  const isChanged = Object.keys(body).length > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) save.mutate({ params: {}, body, etag });
  };
  return (
    <>
      <Section title="Organization">
        <Identity organization={value} />
        <form onSubmit={submit}>
          <fieldset disabled={!mayWrite} className="flex max-w-xl flex-col gap-4">
            <TextField
              label="Name"
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <LifetimeField present={value.token_lifetime_s} value={lifetimeS} onChange={setLifetimeS} />
            <ChangeError
              error={save.error}
              onReload={() => {
                save.reset();
                onReload();
              }}
            />
            <div>
              <Button look="main" type="submit" busy={save.isPending} disabled={!isChanged}>
                Save
              </Button>
            </div>
          </fieldset>
        </form>
      </Section>
      <DeleteSection name={value.name} slug={value.slug} />
    </>
  );
}

function Identity({ organization }: { organization: Organization }): ReactNode {
  return (
    <Facts
      items={[
        ["Slug", <Copyable key="slug" text={organization.slug} />],
        ["", "Part of addresses, image names and commands. Only an operator can change it."],
        ["Id", <Copyable key="id" text={organization.id} />],
        ["Since", <Time key="since" at={organization.created_at} />],
      ]}
    />
  );
}

/** The choice of a lifetime, which always contains the current one. */
function LifetimeField({
  present,
  value,
  onChange,
}: {
  present: number;
  value: number;
  onChange: (seconds: number) => void;
}): ReactNode {
  const lifetimes = LIFETIMES_S.includes(present) ? LIFETIMES_S : [present, ...LIFETIMES_S];
  return (
    <SelectField
      label="Access tokens are valid for"
      hint="Applies to new tokens. A short lifetime limits the damage of a leaked token. When a credential is revoked, its tokens stop working within seconds. Only services that verify tokens offline accept them until they expire."
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {lifetimes.map((seconds) => (
        <option key={seconds} value={seconds}>
          {durationText(seconds * 1000)}
        </option>
      ))}
    </SelectField>
  );
}
