import { ORGANIZATION_ROUTES, SCOPES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { CreateDialog } from "~/access/create-dialog.tsx";
import type { NewCredential } from "~/access/credentials.ts";
import { NO_TEXTS } from "~/access/resources.ts";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { cn } from "~/kit/cn.ts";
import { CopyButton } from "~/kit/copy.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { draftOf, type PrefillSearch, type Draft } from "./prefill.ts";
import { TEMPLATES, type Template } from "./templates.ts";

interface CreateProps {
  search: PrefillSearch;
  /** The slug to preselect. */
  project: string | null;
  onCreated: (created: NewCredential) => void;
  onClose: () => void;
}

/** The form for a new credential. */
export function CreateCredential({ search, project, onCreated, onClose }: CreateProps): ReactNode {
  const [first] = useState(() => draftOf(search, SCOPES, project));
  const create = useAct(ORGANIZATION_ROUTES.createCredential, {
    changes: [ORGANIZATION_ROUTES.listCredentials],
    onDone: onCreated,
  });
  return (
    <CreateDialog<Draft>
      noun="credential"
      about="For one program. Give it only the permissions that it needs: a leaked credential has all of them."
      first={first}
      busy={create.isPending}
      error={create.error}
      onCreate={(body, { withoutSecret }) =>
        create.mutate({ body: { ...body, ...(withoutSecret ? { without_secret: true } : {}) } })
      }
      onClose={onClose}
      hasResources
      onPermissions={{ template: "custom" }}
      before={(draft, change) => (
        <Templates
          chosen={draft.template}
          onChoose={({ id, name, scopes, expiresDays, isLimited }) =>
            change({
              template: id,
              name: isProposed(draft.name) ? name : draft.name,
              requested: scopes,
              expiresDays,
              resources: isLimited ? (draft.resources ?? NO_TEXTS) : null,
            })
          }
        />
      )}
      after={({ withoutSecret }, change) => (
        <Checkbox
          label="Without a secret: sign in only with tokens of trusted issuers"
          checked={withoutSecret}
          onChange={(event) => change({ withoutSecret: event.target.checked })}
        />
      )}
      action={(draft) => <CopyButton text={linkOf(draft)} label="Copy a link to this form" className="mr-auto" />}
    />
  );
}

function isProposed(name: string): boolean {
  return name === "" || TEMPLATES.some((template) => template.name === name);
}

/** Returns the address of this page with the form filled in, to send to another person. */
function linkOf({ name, requested, project, expiresDays, resources, withoutSecret }: Draft): string {
  const url = new URL(location.pathname, location.origin);
  url.searchParams.set("new", "true");
  if (name !== "") url.searchParams.set("name", name);
  url.searchParams.set("scopes", requested.join(","));
  if (project !== null) url.searchParams.set("for_project", project);
  url.searchParams.set("expires_days", expiresDays === null ? "never" : String(expiresDays));
  for (const [kind, text] of Object.entries(resources ?? NO_TEXTS))
    if (text.trim() !== "") url.searchParams.set(kind, text);
  if (withoutSecret) url.searchParams.set("without_secret", "true");
  return url.href;
}

function Templates({ chosen, onChoose }: { chosen: string; onChoose: (template: Template) => void }): ReactNode {
  const about = TEMPLATES.find(({ id }) => id === chosen)?.about;
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">Template</legend>
      {[true, false].map((isLimited) => (
        <div key={String(isLimited)} className="flex flex-wrap items-center gap-1.5 py-1">
          <span className="text-s text-ink-2">{isLimited ? "For certain resources:" : "Without a limit:"}</span>
          {TEMPLATES.filter((template) => template.isLimited === isLimited).map((template) => (
            <Button
              key={template.id}
              aria-pressed={template.id === chosen}
              className={cn(template.id === chosen && "border-sea bg-sea-2")}
              onClick={() => onChoose(template)}
            >
              {template.title}
            </Button>
          ))}
        </div>
      ))}
      <p className="text-s text-ink-2" aria-live="polite">
        {about}
      </p>
    </fieldset>
  );
}
