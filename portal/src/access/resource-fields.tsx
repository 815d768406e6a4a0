import { ORGANIZATION_ROUTES, WEBHOOK_ROUTES, type ResourceKind } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Checkbox, Field, TextArea } from "~/kit/field.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { NO_TEXTS, resourceWords, type Resources, type ResourceTexts } from "./resources.ts";

interface FieldsProps {
  /** `credential`, `S3 key`. */
  noun: string;
  /** The slug or id of the project; null: the whole organization. */
  project: string | null;
  /** The kinds on which the chosen permissions act. */
  kinds: readonly ResourceKind[];
  /** Null: no limit. */
  texts: ResourceTexts | null;
  onChange: (texts: ResourceTexts | null) => void;
}

/** Fields for the only resources that a credential may reach. */
export function ResourceFields({ noun, project, kinds, texts, onChange }: FieldsProps): ReactNode {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <Checkbox
        label="Only certain resources"
        why={`Other resources do not exist for this ${noun}. It has no permission that acts on other things.`}
        checked={texts !== null}
        onChange={({ target }) => onChange(target.checked ? NO_TEXTS : null)}
      />
      {texts !== null && (
        <div className="grid gap-3 sm:grid-cols-2">
          {kinds.map((kind) => (
            <ResourceField
              key={kind}
              kind={kind}
              project={project}
              text={texts[kind]}
              onChange={(text) => onChange({ ...texts, [kind]: text })}
            />
          ))}
          {kinds.length === 0 && (
            <p className="text-ink-2">Choose a permission on telemetry, buckets, images or webhooks.</p>
          )}
        </div>
      )}
    </fieldset>
  );
}

const LABELS: Readonly<Record<ResourceKind, string>> = {
  repositories: "Repositories",
  buckets: "Buckets",
  webhooks: "Webhooks",
  services: "Services",
};

const HINTS: Readonly<Record<ResourceKind, string>> = {
  repositories: "One a line, for example shop",
  buckets: "One a line: shop, or shop/uploads/ for the keys that begin with uploads/",
  webhooks: "Identifiers, one a line",
  services: "One a line, as telemetry names them, for example checkout",
};

interface OneProps {
  kind: ResourceKind;
  project: string | null;
  text: string;
  onChange: (text: string) => void;
}

function ResourceField({ kind, project, text, onChange }: OneProps): ReactNode {
  const add = (name: string): void =>
    onChange([...text.split("\n").filter((line) => line.trim() !== ""), name].join("\n"));
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <Field label={LABELS[kind]} hint={HINTS[kind]}>
        {(bound) => (
          <TextArea
            {...bound}
            className="min-h-14 font-mono"
            rows={2}
            required
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      {(kind === "repositories" || kind === "buckets") && <KnownApps project={project} text={text} onAdd={add} />}
      {kind === "webhooks" && <KnownWebhooks project={project} text={text} onAdd={add} />}
    </div>
  );
}

interface KnownProps {
  project: string | null;
  text: string;
  onAdd: (name: string) => void;
}

/** The most resources that are suggested. */
const KNOWN_MAX = 8;

function KnownApps({ project, text, onAdd }: KnownProps): ReactNode {
  const { items } = useList(ORGANIZATION_ROUTES.listApps, { query: queryOf(project) });
  return <Known items={items.map(({ slug }) => ({ value: slug, name: slug }))} text={text} onAdd={onAdd} />;
}

function KnownWebhooks({ project, text, onAdd }: KnownProps): ReactNode {
  const { items } = useList(WEBHOOK_ROUTES.listWebhooks, { query: queryOf(project) });
  return <Known items={items.map(({ id, name }) => ({ value: id, name }))} text={text} onAdd={onAdd} />;
}

function queryOf(project: string | null): { limit: number; project?: string } {
  return { limit: 100, ...(project === null ? {} : { project }) };
}

interface KnownItem {
  readonly value: string;
  readonly name: string;
}

/** Buttons that add a known resource to the field. */
function Known({
  items,
  text,
  onAdd,
}: {
  items: readonly KnownItem[];
  text: string;
  onAdd: (value: string) => void;
}): ReactNode {
  const named = new Set(text.split("\n").map((line) => line.trim()));
  return (
    <div className="flex flex-wrap gap-1">
      {items
        .filter(({ value }) => !named.has(value))
        .slice(0, KNOWN_MAX)
        .map(({ value, name }) => (
          <Button key={value} onClick={() => onAdd(value)}>
            <span>
              Add <ForeignText text={name} />
            </span>
          </Button>
        ))}
    </div>
  );
}

/** The resources of a credential or key, as shown in an inspector. */
export function ResourcesText({ resources }: { resources: Resources }): ReactNode {
  const words = resourceWords(resources);
  if (words.length === 0) return "Nothing: its resources were deleted";
  return (
    <span className="flex flex-col">
      {words.map(([kind, name]) => (
        <span key={`${kind} ${name}`}>
          {kind}{" "}
          <code>
            <ForeignText text={name} />
          </code>
        </span>
      ))}
    </span>
  );
}
