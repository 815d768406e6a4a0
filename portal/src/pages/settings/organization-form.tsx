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
import { ChangeError, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";

type Organization = ResultOf<typeof ORGANIZATION_ROUTES.getOrganization>;

const LIFETIMES_S = [300, 600, 900, 1800, 3600];

/** Name and lifetime of access tokens. Changes that somebody else made meanwhile are not overwritten. */
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
  );
}

function Identity({ organization }: { organization: Organization }): ReactNode {
  return (
    <Facts
      items={[
        ["Slug", <Copyable key="slug" text={organization.slug} />],
        ["", "It stands in addresses, image names and commands, and does not change."],
        ["Id", <Copyable key="id" text={organization.id} />],
        ["Since", <Time key="since" at={organization.created_at} />],
      ]}
    />
  );
}

/** The present lifetime is always among the choices. */
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
      label="Access tokens live for"
      hint="For new tokens. A short lifetime limits the harm of a leaked token. A revoked credential ends its tokens within seconds in any case. Only services that verify tokens offline, with the public keys alone, accept them until they expire."
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
