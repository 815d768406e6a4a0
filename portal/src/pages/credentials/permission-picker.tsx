import { SCOPE_DESCRIPTIONS, SCOPES, type Scope } from "@mooring/contract";
import type { ReactNode } from "react";
import { Checkbox } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";
import { cut, groupsOf, whyNot, type Grant } from "~/access/permissions.ts";

interface PickerProps {
  requested: readonly Scope[];
  grant: Grant;
  onChange: (scopes: readonly Scope[]) => void;
}

/** Permissions by service; a box that can't be ticked says why, and what was asked for in vain is told below. */
export function PermissionPicker({ requested, grant, onChange }: PickerProps): ReactNode {
  const toggle = (scope: Scope): void =>
    onChange(
      requested.includes(scope)
        ? requested.filter((one) => one !== scope)
        : SCOPES.filter((one) => one === scope || requested.includes(one)),
    );
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        {groupsOf(SCOPES).map(({ title, scopes }) => (
          <fieldset key={title} className="min-w-0">
            <legend className="font-medium">{title}</legend>
            {scopes.map((scope) => (
              <ScopeBox
                key={scope}
                scope={scope}
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
  isRequested,
  why,
  onToggle,
}: {
  scope: Scope;
  isRequested: boolean;
  why: string | null;
  onToggle: () => void;
}): ReactNode {
  return (
    <Checkbox
      label={
        <>
          <code>{scope}</code> <span className="text-ink-2">{SCOPE_DESCRIPTIONS[scope]}</span>
        </>
      }
      checked={isRequested && why === null}
      disabled={why !== null}
      why={why === null ? undefined : `${isRequested ? "Asked for, but " : "Not possible: "}${why}.`}
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
          {given.length === 0
            ? "Choose at least one permission."
            : `It will hold ${plural(given.length, "permission")}.`}
        </p>
      ) : (
        <State kind="warn">
          <span className="whitespace-normal">
            It will hold {given.length} of the {plural(requested.length, "permission")} asked for. Left out:{" "}
            <code>{left.map(({ scope }) => scope).join(" ")}</code>
          </span>
        </State>
      )}
    </div>
  );
}
