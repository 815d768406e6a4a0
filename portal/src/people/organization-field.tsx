import { useState, type ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { SelectField } from "~/kit/field.tsx";

/** Begins with the organization that the command asked for, if the person is in it. */
export function useChosenOrganization(asked: string | null): [string, (slug: string) => void] {
  const { organizations } = useSession();
  const first = asked === null ? organizations[0] : organizations.find(({ slug }) => slug === asked);
  return useState(first?.slug ?? "");
}

/** The organization for which a login is approved. */
export function OrganizationField({ value, onChange }: { value: string; onChange: (slug: string) => void }): ReactNode {
  const { organizations } = useSession();
  return (
    <SelectField
      label="Organization"
      hint={organizations.length === 0 ? "You are in no organization." : undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {value === "" && <option value="">Choose one</option>}
      {organizations.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name} ({slug})
        </option>
      ))}
    </SelectField>
  );
}
