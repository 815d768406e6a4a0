import { ORGANIZATION_ROUTES, SCOPE_DESCRIPTIONS, SCOPES, type ResultOf, type Scope } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMe, useProject } from "~/app/scope.ts";
import { CopyButton } from "~/kit/copy.tsx";
import { Checkbox, SelectField } from "~/kit/field.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Loaded, Section } from "~/kit/page.tsx";
import { Badge, State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";

type Access = ResultOf<typeof ORGANIZATION_ROUTES.getAccess>;
type Verdict = { readonly allowed: boolean; readonly because: string };

export type WhoSearch = {
  readonly permission: string | undefined;
  /** Slug of a project; "-": the organization. */
  readonly within: string | undefined;
  readonly all: boolean | undefined;
};

interface WhoProps {
  search: Partial<WhoSearch>;
  onChange: (part: Partial<WhoSearch>) => void;
}

/** Lists the members, credentials and keys with one permission, with the reason. */
export function WhoCan({ search, onChange }: WhoProps): ReactNode {
  const project = useProject();
  const permission = SCOPES.find((scope) => scope === search.permission) ?? "telemetry:read";
  const within = search.within ?? project?.slug ?? "-";
  const result = useRead(ORGANIZATION_ROUTES.getAccess, {
    query: { permission, ...(within === "-" ? {} : { project: within }) },
  });
  return (
    <>
      <Question permission={permission} within={within} search={search} onChange={onChange} />
      <p>
        <CopyButton
          text={curlOf(
            `${location.origin}/v1/access?permission=${permission}${within === "-" ? "" : `&project=${within}`}`,
          )}
          label="Copy as curl"
        />
      </p>
      <Loaded result={result}>{(access) => <Answer access={access} isAll={search.all === true} />}</Loaded>
    </>
  );
}

function Question({
  permission,
  within,
  search,
  onChange,
}: WhoProps & { permission: Scope; within: string }): ReactNode {
  const me = useMe();
  return (
    <div className="grid items-start gap-3 sm:grid-cols-3">
      <SelectField
        label="Who can"
        value={permission}
        hint={SCOPE_DESCRIPTIONS[permission]}
        onChange={(event) => onChange({ permission: event.target.value })}
      >
        {SCOPES.map((scope) => (
          <option key={scope} value={scope}>
            {scope}
          </option>
        ))}
      </SelectField>
      <SelectField label="Where" value={within} onChange={(event) => onChange({ within: event.target.value })}>
        <option value="-">The organization, or any project</option>
        {me?.projects.map(({ slug, name, visibility }) => (
          <option key={slug} value={slug}>
            {name}
            {visibility === "private" ? " (private)" : ""}
          </option>
        ))}
      </SelectField>
      <div className="sm:pt-6">
        <Checkbox
          label="Show those who can't, too"
          checked={search.all === true}
          onChange={(event) => onChange({ all: event.target.checked ? true : undefined })}
        />
      </div>
    </div>
  );
}

function Answer({ access, isAll }: { access: Access; isAll: boolean }): ReactNode {
  const { members, credentials, s3_keys: keys, complete } = access;
  return (
    <>
      {!complete && (
        <p role="status">
          <State kind="warn">
            <span className="whitespace-normal">
              The list is incomplete, because there are too many members, credentials or keys.
            </span>
          </State>
        </p>
      )}
      <Part title="People" items={members} isAll={isAll} columns={PEOPLE} keyOf={({ user_id }) => user_id} />
      {credentials === null ? (
        <p className="text-ink-2">Credentials and keys are not shown, because your role lacks credentials:read.</p>
      ) : (
        <Part title="Credentials" items={credentials} isAll={isAll} columns={CREDENTIALS} keyOf={({ id }) => id} />
      )}
      {keys !== null && keys.length > 0 && (
        <Part title="S3 keys" items={keys} isAll={isAll} columns={KEYS} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function Part<I extends Verdict>({
  title,
  items,
  isAll,
  columns,
  keyOf,
}: {
  title: string;
  items: readonly I[];
  isAll: boolean;
  columns: readonly Column<I>[];
  keyOf: (item: I) => string;
}): ReactNode {
  const allowed = items.filter((item) => item.allowed);
  const shown = isAll ? items : allowed;
  return (
    <Section title={title} about={`${allowed.length} of ${items.length} can`} flush>
      {shown.length === 0 ? (
        <p className="p-3.5 text-ink-2">None.</p>
      ) : (
        <Table label={`${title} that can`} items={shown} columns={columns} keyOf={keyOf} />
      )}
    </Section>
  );
}

function verdictColumns<I extends Verdict>(): readonly Column<I>[] {
  return [
    { title: "May", cell: ({ allowed }) => <State kind={allowed ? "go" : "stop"}>{allowed ? "Yes" : "No"}</State> },
    { title: "Because", cell: ({ because }) => because },
  ];
}

const PEOPLE: readonly Column<Access["members"][number]>[] = [
  {
    title: "Name",
    grow: true,
    cell: ({ user_id, name, email }) => (
      <PageLink page="members" search={{ person: user_id }}>
        <span title={email}>{name}</span>
      </PageLink>
    ),
  },
  ...verdictColumns<Access["members"][number]>(),
];

const CREDENTIALS: readonly Column<NonNullable<Access["credentials"]>[number]>[] = [
  {
    title: "Name",
    grow: true,
    cell: ({ id, name, kind }) => (
      <>
        <PageLink page="credentials" project="-" search={{ credential: id }}>
          {name}
        </PageLink>{" "}
        {kind === "personal" && <Badge>personal</Badge>}
      </>
    ),
  },
  ...verdictColumns<NonNullable<Access["credentials"]>[number]>(),
];

const KEYS: readonly Column<NonNullable<Access["s3_keys"]>[number]>[] = [
  { title: "Name", grow: true, cell: ({ name, access_key_id }) => <span title={access_key_id}>{name}</span> },
  ...verdictColumns<NonNullable<Access["s3_keys"]>[number]>(),
];
