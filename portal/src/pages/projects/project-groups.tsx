import { ORGANIZATION_ROUTES, PROJECT_ROLES, type ProjectMemberRole } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { bodyOfRole, CustomRoleOptions, titleOfRole, useCustomRoles, type RoleValue } from "~/access/roles.tsx";
import { EndOf } from "~/access/end-of.tsx";
import { useAct, useList } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { MomentField } from "~/kit/moment-fields.tsx";
import { More } from "~/kit/table.tsx";
import { useVersionedChange } from "~/kit/versioned.tsx";
import type { Project } from "./types.ts";

const CHANGES = [ORGANIZATION_ROUTES.listProjectGroups, ORGANIZATION_ROUTES.listEndings, ORGANIZATION_ROUTES.getMe];

/** The groups with a role in the project. Their members have this role, too. */
export function ProjectGroups({ project }: { project: Project }): ReactNode {
  const params = { project_id: project.id };
  const list = useList(ORGANIZATION_ROUTES.listProjectGroups, { params });
  const mayWrite = useMayIn(project.id, "projects:write");
  const remove = useAct(ORGANIZATION_ROUTES.deleteProjectGroup, { changes: CHANGES });
  return (
    <section className="flex flex-col gap-3 border-t border-line pt-3">
      <h3>Groups</h3>
      <ErrorNote error={list.error ?? remove.error} />
      {!list.isPending && list.items.length === 0 && <p className="text-ink-2">No group has a role here.</p>}
      <ul>
        {list.items.map(({ group_id, name, expires_at, ...held }) => (
          <li key={group_id} className="flex flex-wrap items-center gap-2 border-b border-line py-1.5">
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span>{titleOfRole(held)}</span>
            <EndOf at={expires_at} />
            <Button
              look="quiet"
              disabled={!mayWrite || remove.isPending}
              onClick={() => remove.mutate({ params: { ...params, group_id } })}
              aria-label={`Remove the group ${name}`}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {list.hasMore && <More list={list} />}
      {mayWrite && <AddGroup project={project} present={list.items.map(({ group_id }) => group_id)} />}
    </section>
  );
}

function AddGroup({ project, present }: { project: Project; present: readonly string[] }): ReactNode {
  const enabled = useMayIn(null, "org:read");
  const groups = useList(ORGANIZATION_ROUTES.listGroups, { query: { limit: 100 } }, { enabled });
  const [groupId, setGroupId] = useState("");
  const [role, setRole] = useState<RoleValue<ProjectMemberRole>>("writer");
  const custom = useCustomRoles("project");
  const [end, setEnd] = useState<string>();
  const put = useVersionedChange(ORGANIZATION_ROUTES.putProjectGroup, {
    changes: CHANGES,
    onDone: () => setGroupId(""),
  });
  const others = groups.items.filter(({ id }) => !present.includes(id));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { ...bodyOfRole(role), expires_at: end ?? null };
    put.mutate({ params: { project_id: project.id, group_id: groupId }, body, etag: null });
  };
  if (others.length === 0 && !groups.hasMore) return null;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <SelectField label="Add a group" value={groupId} onChange={({ target }) => setGroupId(target.value)}>
        <option value="">Choose…</option>
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {groups.hasMore && <More list={groups} />}
      <SelectField
        label="The group is"
        value={role}
        onChange={({ target }) => setRole(target.value as RoleValue<ProjectMemberRole>)}
      >
        {PROJECT_ROLES.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
        <CustomRoleOptions roles={custom} />
      </SelectField>
      <MomentField label="Group ends (UTC)" hint="Empty: no end" value={end} onChange={setEnd} />
      <ErrorNote error={put.error} />
      <Button type="submit" className="self-start" busy={put.isPending} disabled={groupId === ""}>
        Add the group
      </Button>
    </form>
  );
}
