import { CUSTOM_ROLE_SCOPES, ORGANIZATION_ROUTES, type CustomRoleKind, type Scope } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useList, useRefresh } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { ChangeError, useVersionedChange } from "~/kit/versioned.tsx";
import { PermissionPicker } from "~/access/permission-picker.tsx";
import type { Grant } from "~/access/permissions.ts";
import type { CustomRole } from "~/access/roles.tsx";

const CHANGES = [
  ORGANIZATION_ROUTES.listRoles,
  ORGANIZATION_ROUTES.listMembers,
  ORGANIZATION_ROUTES.listCredentials,
  ORGANIZATION_ROUTES.listS3Keys,
];

const KINDS: Readonly<Record<CustomRoleKind, string>> = {
  organization: "In the organization",
  project: "In projects",
};

const COLUMNS: readonly Column<CustomRole>[] = [
  { title: "Name", grow: true, cell: ({ name }) => name },
  { title: "Slug", cell: ({ slug }) => <code>{slug}</code> },
  { title: "Where", cell: ({ kind }) => KINDS[kind] },
  { title: "Permissions", number: true, cell: ({ scopes }) => scopes.length },
  { title: "Uses", number: true, cell: ({ uses }) => uses },
];

/** Lists the custom roles. A row opens the role. */
export function CustomRoles(): ReactNode {
  const enabled = useMayIn(null, "org:read");
  const mayWrite = useMayIn(null, "members:write");
  const list = useList(ORGANIZATION_ROUTES.listRoles, {}, { enabled });
  const [open, setOpen] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const role = list.items.find(({ id }) => id === open);
  if (!enabled) return null;
  return (
    <Section
      title="Custom roles"
      about="Sets of permissions that you name. Give them to members, and to people and groups in projects."
      flush
      actions={
        <Button
          disabled={!mayWrite}
          title={mayWrite ? undefined : "Your role lacks members:write"}
          onClick={() => setCreating(true)}
        >
          Create role
        </Button>
      }
    >
      <ListTable
        label="Custom roles"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        openKey={open}
        onOpen={({ id }) => setOpen(id)}
        empty={<p className="p-3.5 text-ink-2">There are no custom roles.</p>}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      {role !== undefined && <RoleDialog role={role} mayWrite={mayWrite} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

/** Returns what the person can put into a role: their own permissions, and members:write only as an owner. */
function useRoleGrant(): Grant {
  const me = useMe();
  const isOwner = me?.role === "owner";
  return {
    orgRole: me?.role ?? null,
    orgScopes: (me?.scopes ?? []).filter((scope) => isOwner || scope !== "members:write"),
    project: null,
    projectRoleScopes: { maintainer: [], writer: [], reader: [] },
    policyScopes: null,
  };
}

function CreateDialog({ onClose }: { onClose: () => void }): ReactNode {
  const grant = useRoleGrant();
  const [slug, setSlug] = useState("");
  const [name, setName] = useState("");
  const [kind, setKind] = useState<CustomRoleKind>("organization");
  const [requested, setRequested] = useState<readonly Scope[]>([]);
  const create = useAct(ORGANIZATION_ROUTES.createRole, { changes: CHANGES, onDone: onClose });
  const possible = CUSTOM_ROLE_SCOPES[kind];
  const scopes = requested.filter((scope) => possible.includes(scope));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ body: { slug, ...(name === "" ? {} : { name }), kind, scopes: [...scopes] } });
  };
  return (
    <Dialog title="Create role" about="You can give only permissions that you have." onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Slug"
          className="mono"
          required
          maxLength={39}
          value={slug}
          onChange={({ target }) => setSlug(target.value)}
        />
        <TextField
          label="Name"
          hint="Empty: the slug"
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <SelectField label="Where" value={kind} onChange={({ target }) => setKind(target.value as CustomRoleKind)}>
          <option value="organization">{KINDS.organization}</option>
          <option value="project">{KINDS.project}</option>
        </SelectField>
        <PermissionPicker scopes={possible} requested={scopes} grant={grant} onChange={setRequested} />
        <ErrorNote error={create.error} />
        <FormActions
          action="Create"
          busy={create.isPending}
          disabled={slug === "" || scopes.length === 0}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

function RoleDialog({
  role,
  mayWrite,
  onClose,
}: {
  role: CustomRole;
  mayWrite: boolean;
  onClose: () => void;
}): ReactNode {
  const [isDeleting, setDeleting] = useState(false);
  const params = { role_id: role.id };
  const remove = useAct(ORGANIZATION_ROUTES.deleteRole, { changes: CHANGES, onDone: onClose });
  if (isDeleting)
    return (
      <DangerDialog
        title={`Delete ${role.name}`}
        about={<p>Nobody can get this role any more.</p>}
        action="Delete"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ params })}
        onClose={() => setDeleting(false)}
      />
    );
  return (
    <Dialog
      title={`Role ${role.name}`}
      about={`It has ${plural(role.uses, "use")}. A change applies at the next request of everybody who has it.`}
      onClose={onClose}
    >
      {mayWrite ? <ChangeForm role={role} onDone={onClose} /> : <ScopeList scopes={role.scopes} />}
      {mayWrite && (
        <Button
          look="danger"
          className="self-start"
          disabled={role.uses > 0}
          title={role.uses > 0 ? "Give its members, invitations and groups another role first" : undefined}
          onClick={() => setDeleting(true)}
        >
          Delete this role
        </Button>
      )}
    </Dialog>
  );
}

function ScopeList({ scopes }: { scopes: readonly Scope[] }): ReactNode {
  return (
    <ul>
      {scopes.map((scope) => (
        <li key={scope}>
          <code>{scope}</code>
        </li>
      ))}
    </ul>
  );
}

function ChangeForm({ role, onDone }: { role: CustomRole; onDone: () => void }): ReactNode {
  const grant = useRoleGrant();
  const [name, setName] = useState(role.name);
  const [scopes, setScopes] = useState<readonly Scope[]>(role.scopes);
  const refresh = useRefresh(CHANGES);
  const update = useVersionedChange(ORGANIZATION_ROUTES.updateRole, { changes: CHANGES, onDone });
  // The role may have permissions that the person lacks. They can take them away.
  const orgScopes = [...new Set([...grant.orgScopes, ...role.scopes])];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    update.mutate({ params: { role_id: role.id }, body: { name, scopes: [...scopes] }, etag: role.etag });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField label="Name" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
      <PermissionPicker
        scopes={CUSTOM_ROLE_SCOPES[role.kind]}
        requested={scopes}
        grant={{ ...grant, orgScopes }}
        onChange={setScopes}
      />
      <ChangeError error={update.error} onReload={refresh} />
      <FormActions
        action="Save"
        busy={update.isPending}
        disabled={name === "" || scopes.length === 0}
        onCancel={onDone}
      />
    </form>
  );
}
