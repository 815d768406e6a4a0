import {
  ORGANIZATION_ROUTES,
  PROJECT_ROLES,
  type Orphans,
  type ProjectMemberRole,
  type ProjectRole,
  type ResultOf,
} from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useList, useRefresh } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Select, SelectField } from "~/kit/field.tsx";
import { MomentField } from "~/kit/moment-fields.tsx";
import { Loading } from "~/kit/page.tsx";
import { More } from "~/kit/table.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange } from "~/kit/versioned.tsx";
import { usePeople } from "~/access/people.ts";
import {
  bodyOfRole,
  CustomRoleOptions,
  titleOfRole,
  useCustomRoles,
  valueOfRole,
  type RoleValue,
} from "~/access/roles.tsx";
import { OrphansField, PlanNote, usePlan } from "~/access/plan.tsx";
import type { Project } from "./types.ts";

type ProjectMember = ResultOf<typeof ORGANIZATION_ROUTES.listProjectMembers>["items"][number];

const CHANGES = [ORGANIZATION_ROUTES.listProjectMembers, ORGANIZATION_ROUTES.listEndings, ORGANIZATION_ROUTES.getMe];

const ROLE_ABOUT: Readonly<Record<ProjectRole, string>> = {
  maintainer: "everything in the project, also its members and credentials",
  writer: "sends, stores, pushes and deletes, but does not manage apps, members or credentials",
  reader: "reads",
};

/** Shows the roles in the project, and how roles in the organization apply to it. */
export function ProjectMembers({ project }: { project: Project }): ReactNode {
  const list = useList(ORGANIZATION_ROUTES.listProjectMembers, { params: { project_id: project.id } });
  const mayWrite = useMayIn(project.id, "projects:write");
  const [leaving, setLeaving] = useState<ProjectMember | null>(null);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-ink-2">
        {project.visibility === "private"
          ? "Only these people see the project."
          : "These members have a role here. Their role in the organization also applies here."}
      </p>
      <ErrorNote error={list.error} />
      {list.isPending && list.error === null && <Loading />}
      {!list.isPending && list.items.length === 0 && <p>Nobody has a role in this project.</p>}
      <ul>
        {list.items.map((member) => (
          <MemberItem
            key={`${member.user_id} ${member.etag}`}
            member={member}
            project={project}
            mayWrite={mayWrite}
            onRemove={() => setLeaving(member)}
          />
        ))}
      </ul>
      {list.hasMore && <More list={list} />}
      {mayWrite ? (
        <AddMember project={project} present={list.items.map(({ user_id }) => user_id)} />
      ) : (
        <p className="text-s text-ink-2">Your role lacks projects:write, so you cannot change the members.</p>
      )}
      {leaving !== null && <RemoveMember member={leaving} project={project} onClose={() => setLeaving(null)} />}
    </div>
  );
}

function MemberItem({
  member,
  project,
  mayWrite,
  onRemove,
}: {
  member: ProjectMember;
  project: Project;
  mayWrite: boolean;
  onRemove: () => void;
}): ReactNode {
  const [role, setRole] = useState(valueOfRole(member));
  const present = member.expires_at ?? undefined;
  const [end, setEnd] = useState(present);
  const put = useVersionedChange(ORGANIZATION_ROUTES.putProjectMember, { changes: CHANGES });
  const params = { project_id: project.id, user_id: member.user_id };
  const body = { ...bodyOfRole(role), expires_at: end ?? null };
  const isSame = role === valueOfRole(member);
  const isChanged = !isSame || end !== present;
  const { etag } = member;
  const plan = usePlan(ORGANIZATION_ROUTES.putProjectMember, { params, body }, { enabled: isChanged, etag });
  const refresh = useRefresh(CHANGES);
  const reload = (): void => {
    refresh();
    put.reset();
    if (isChanged) void plan.refetch();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    put.mutate({ params, body, etag: plan.data?.etag ?? etag });
  };
  return (
    <li className="border-b border-line py-1.5">
      <form onSubmit={submit} className="flex flex-col gap-1">
        <span className="truncate" title={member.email}>
          {member.name}
        </span>
        <div className="flex flex-wrap items-center gap-2">
          <div className="w-36">
            <RoleSelect
              label={`Role of ${member.name}`}
              value={role}
              disabled={!mayWrite || put.isPending}
              onChange={setRole}
            />
          </div>
          {isChanged && (
            <Button type="submit" busy={put.isPending}>
              {isSame ? "Save" : `Make ${titleOfRole({ custom_role: null, ...bodyOfRole(role) })}`}
            </Button>
          )}
          <Button look="quiet" disabled={!mayWrite} onClick={onRemove} aria-label={`Remove ${member.name}`}>
            Remove
          </Button>
        </div>
        {member.entered !== null && (
          <p className="text-s text-ink-2">
            Entered as an owner: <ForeignText text={member.entered.reason} />
          </p>
        )}
        {(mayWrite || member.expires_at !== null) && (
          <MomentField label={`${member.name}: ends (UTC)`} value={end} disabled={!mayWrite} onChange={setEnd} />
        )}
        {isChanged && put.error === null && <PlanNote plan={plan} onReload={reload} />}
        <ChangeError error={put.error} onReload={reload} />
      </form>
    </li>
  );
}

function RoleSelect({
  label,
  value,
  disabled,
  onChange,
}: {
  label: string;
  value: RoleValue<ProjectMemberRole>;
  disabled: boolean;
  onChange: (value: RoleValue<ProjectMemberRole>) => void;
}): ReactNode {
  const custom = useCustomRoles("project");
  return (
    <Select
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value as RoleValue<ProjectMemberRole>)}
    >
      {PROJECT_ROLES.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
      <CustomRoleOptions roles={custom} />
    </Select>
  );
}

function AddMember({ project, present }: { project: Project; present: readonly string[] }): ReactNode {
  const people = usePeople();
  const [userId, setUserId] = useState("");
  const [role, setRole] = useState<RoleValue<ProjectMemberRole>>("writer");
  const custom = useCustomRoles("project");
  const [end, setEnd] = useState<string>();
  const put = useVersionedChange(ORGANIZATION_ROUTES.putProjectMember, {
    changes: CHANGES,
    onDone: () => setUserId(""),
  });
  const others = [...(people?.values() ?? [])].filter(({ user_id }) => !present.includes(user_id));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    put.mutate({
      params: { project_id: project.id, user_id: userId },
      body: { ...bodyOfRole(role), expires_at: end ?? null },
      etag: null,
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <SelectField
        label="Add a person"
        hint={others.length === 0 ? "All members of the organization have a role here." : undefined}
        value={userId}
        onChange={(event) => setUserId(event.target.value)}
      >
        <option value="">Choose…</option>
        {others.map(({ user_id, name, email }) => (
          <option key={user_id} value={user_id}>
            {name} ({email})
          </option>
        ))}
      </SelectField>
      <SelectField
        label="As"
        value={role}
        onChange={(event) => setRole(event.target.value as RoleValue<ProjectMemberRole>)}
      >
        {PROJECT_ROLES.map((one) => (
          <option key={one} value={one}>
            {one}: {ROLE_ABOUT[one]}
          </option>
        ))}
        <CustomRoleOptions roles={custom} />
      </SelectField>
      <MomentField label="Until (UTC)" hint="Empty: no end" value={end} onChange={setEnd} />
      <ErrorNote error={put.error} />
      <Button type="submit" className="self-start" busy={put.isPending} disabled={userId === ""}>
        Add
      </Button>
    </form>
  );
}

function RemoveMember({
  member,
  project,
  onClose,
}: {
  member: ProjectMember;
  project: Project;
  onClose: () => void;
}): ReactNode {
  const say = useSay();
  const [orphans, setOrphans] = useState<Orphans>("adopt");
  const params = { project_id: project.id, user_id: member.user_id };
  const plan = usePlan(ORGANIZATION_ROUTES.deleteProjectMember, { params, query: { orphans } });
  const remove = useVersionedChange(ORGANIZATION_ROUTES.deleteProjectMember, {
    changes: [...CHANGES, ORGANIZATION_ROUTES.listCredentials, ORGANIZATION_ROUTES.listS3Keys],
    onDone: () => {
      say(`${member.name} is removed from ${project.name}`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Remove ${member.name} from ${project.name}`}
      projectId={project.id}
      about={
        <div className="flex flex-col gap-3">
          <p>
            {project.visibility === "private"
              ? `${member.name} can no longer see the project.`
              : `${member.name} keeps the permissions of their role in the organization.`}
          </p>
          <OrphansField value={orphans} onChange={(value) => setOrphans(value ?? "adopt")} />
          <PlanNote plan={plan} />
        </div>
      }
      action="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params, query: { orphans }, body: undefined, etag: plan.data?.etag ?? null })}
      onClose={onClose}
    />
  );
}
