import { SCOPE_DESCRIPTIONS, SCOPES, type Scope } from "@mooring/contract";
import type { ReactNode } from "react";
import { Checkbox } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";
import { cut, groupsOf, whyNot, type Grant } from "./permissions.ts";

interface PickerProps {
  /** The scopes to choose from; default: all. */
  scopes?: readonly Scope[];
  /** Descriptions that replace the contract's. */
  texts?: Readonly<Partial<Record<Scope, string>>>;
  requested: readonly Scope[];
  grant: Grant;
  onChange: (scopes: readonly Scope[]) => void;
}

/**
 * Checkboxes for permissions, by service. A disabled box says why. Requested permissions that cannot be given are
 * listed below.
 */
export function PermissionPicker({ scopes = SCOPES, texts, requested, grant, onChange }: PickerProps): ReactNode {
  const toggle = (scope: Scope): void =>
    onChange(
      requested.includes(scope)
        ? requested.filter((one) => one !== scope)
        : scopes.filter((one) => one === scope || requested.includes(one)),
    );
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        {groupsOf(scopes).map(({ title, scopes: group }) => (
          <fieldset key={title} className="min-w-0">
            <legend className="font-medium">{title}</legend>
            {group.map((scope) => (
              <ScopeBox
                key={scope}
                scope={scope}
                about={texts?.[scope] ?? SCOPE_DESCRIPTIONS[scope]}
                isRequested={requested.includes(scope)}
                why={whyNot(scope, grant)}
                onToggle={() => toggle(scope)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <Outcome requested={requested} grant={grant} />
    </div>
  );
}

function ScopeBox({
  scope,
  about,
  isRequested,
  why,
  onToggle,
}: {
  scope: Scope;
  about: string;
  isRequested: boolean;
  why: string | null;
  onToggle: () => void;
}): ReactNode {
  return (
    <Checkbox
      label={
        <>
          <code>{scope}</code> <span className="text-ink-2">{about}</span>
        </>
      }
      checked={isRequested && why === null}
      disabled={why !== null}
      why={why === null ? undefined : `${isRequested ? "Requested, but not possible: " : "Not possible: "}${why}.`}
      onChange={onToggle}
    />
  );
}

function Outcome({ requested, grant }: Pick<PickerProps, "requested" | "grant">): ReactNode {
  const { given, left } = cut(requested, grant);
  return (
    <div role="status">
      {left.length === 0 ? (
        <p className="text-ink-2">
          {given.length === 0 ? "Choose at least one permission." : `${plural(given.length, "permission")} chosen.`}
        </p>
      ) : (
        <State kind="warn">
          <span className="whitespace-normal">
            {given.length} of the {plural(requested.length, "requested permission")} will be given. Left out:{" "}
            <code>{left.map(({ scope }) => scope).join(" ")}</code>
          </span>
        </State>
      )}
    </div>
  );
}
