import { ORGANIZATION_ROUTES, QUOTA_SCOPES, USAGE_ROUTES, WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { bytesText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, VersionedForm, type Versioned } from "~/kit/versioned.tsx";

type Quota = ResultOf<typeof USAGE_ROUTES.getQuota>;
type Scope = Quota["scope"];

const MIB = 1024 * 1024;
const TITLES: Readonly<Record<Scope, string>> = { project: "Project", bucket: "Bucket", webhook: "Webhook" };

/** The quotas of projects, buckets and webhooks, and a form that sets them. */
export function Quotas(): ReactNode {
  const list = useList(USAGE_ROUTES.listQuotas, {});
  const mayWrite = useMayIn(null, "org:write");
  return (
    <Section
      title="Quotas"
      about="of projects, buckets and webhooks; owners and admins set them. Uploads beyond a quota are refused."
      flush
    >
      <ListTable
        label="Quotas"
        list={list}
        columns={COLUMNS}
        keyOf={({ scope, target_id: id }) => `${scope} ${id}`}
        empty={<p className="p-3.5 text-ink-2">There are no quotas. One project can fill the whole organization.</p>}
      />
      {mayWrite && <Chooser />}
    </Section>
  );
}

const COLUMNS: readonly Column<Quota>[] = [
  { title: "Of", cell: ({ scope, name }) => `${TITLES[scope]} ${visibleText(name)}` },
  { title: "Used", number: true, cell: ({ used_bytes: used }) => bytesText(used) },
  { title: "Quota", number: true, cell: ({ max_bytes: max }) => bytesText(max ?? 0) },
  { title: "Share", cell: (quota) => <Share {...quota} /> },
];

function Share({ used_bytes: used, max_bytes: max, state }: Quota): ReactNode {
  const share = max === null || max === 0 ? 1 : used / max;
  const kind = state === "full" ? "stop" : state === "near" ? "warn" : "go";
  return (
    <span className="flex items-center gap-3">
      <InlineBar share={share} kind={kind} isTracked className="w-40" />
      <span className="mono">{Math.round(share * 100)} %</span>
      {state === "near" && <State kind="warn">nearly full</State>}
      {state === "full" && <State kind="stop">full: uploads are refused</State>}
    </span>
  );
}

/** Chooses an object, and shows the form of its quota. */
function Chooser(): ReactNode {
  const [scope, setScope] = useState<Scope>("project");
  const [id, setId] = useState("");
  const projects = useMe()?.projects ?? [];
  const buckets = useList(ORGANIZATION_ROUTES.listApps, { query: { limit: 100 } }, { enabled: scope === "bucket" });
  const webhooks = useList(WEBHOOK_ROUTES.listWebhooks, { query: { limit: 100 } }, { enabled: scope === "webhook" });
  const choices = {
    project: projects.map((project) => [project.id, project.name] as const),
    bucket: buckets.items.map((app) => [app.id, app.slug] as const),
    webhook: webhooks.items.map((webhook) => [webhook.id, webhook.name] as const),
  }[scope];
  return (
    <div className="flex flex-col gap-3 border-t border-line p-3.5">
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <SelectField
          label="Kind"
          value={scope}
          onChange={(event) => {
            setScope(event.target.value as Scope);
            setId("");
          }}
        >
          {QUOTA_SCOPES.map((each) => (
            <option key={each} value={each}>
              {TITLES[each]}
            </option>
          ))}
        </SelectField>
        <SelectField label="Of" value={id} onChange={(event) => setId(event.target.value)}>
          <option value="">Choose one</option>
          {choices.map(([value, name]) => (
            <option key={value} value={value}>
              {visibleText(name)}
            </option>
          ))}
        </SelectField>
      </div>
      {id !== "" && (
        <VersionedForm key={`${scope} ${id}`} row={USAGE_ROUTES.getQuota} params={{ scope, target_id: id }}>
          {(versioned, onReload) => <Form versioned={versioned} onReload={onReload} />}
        </VersionedForm>
      )}
    </div>
  );
}

function Form({
  versioned: { value: quota, etag },
  onReload,
}: {
  versioned: Versioned<Quota>;
  onReload: () => void;
}): ReactNode {
  const say = useSay();
  const { scope, target_id: id, used_bytes: used } = quota;
  const before = quota.max_bytes === null ? "" : String(quota.max_bytes / MIB);
  const [mib, setMib] = useState(before);
  const save = useVersionedChange(USAGE_ROUTES.updateQuota, {
    changes: [USAGE_ROUTES.listQuotas, USAGE_ROUTES.getQuota],
    onDone: () => say("Saved. Every server applies it at once."),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const max = mib === "" ? null : Math.round(Number(mib) * MIB);
    save.mutate({ params: { scope, target_id: id }, body: { max_bytes: max }, etag });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Quota (MiB)"
        hint={`Empty: no quota. ${bytesText(used)} are used now. Stored data stays also when the quota is smaller.`}
        type="number"
        min={0}
        step="any"
        value={mib}
        onChange={(event) => setMib(event.target.value)}
      />
      <ChangeError error={save.error} onReload={onReload} />
      <div>
        <Button look="main" type="submit" busy={save.isPending} disabled={mib === before}>
          Save
        </Button>
      </div>
    </form>
  );
}
