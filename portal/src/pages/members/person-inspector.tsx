import { ORG_ROLES, ORGANIZATION_ROUTES, type MemberRole, type Orphans } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useRefresh } from "~/api/queries.ts";
import { useAbsence } from "~/app/absent.tsx";
import { useMayAnywhere, useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { SelectField } from "~/kit/field.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { MomentField } from "~/kit/moment-fields.tsx";
import { Facts, Loading } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange } from "~/kit/versioned.tsx";
import { EndOf } from "~/access/end-of.tsx";
import { usePeople, type Person } from "~/access/people.ts";
import {
  bodyOfRole,
  CustomRoleOptions,
  titleOfRole,
  useCustomRoles,
  valueOfRole,
  type RoleValue,
} from "~/access/roles.tsx";
import { OrphansField, PlanNote, usePlan } from "~/access/plan.tsx";
import { PROJECTS_READ_MAX, useProjectRoles } from "./project-roles.ts";
import { EndAccessDialog } from "./end-access-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { aboutRole, whyFixed, whyNotGiven } from "./rules.ts";
import { SecondFactor } from "./second-factor.tsx";
import { TransferDialog } from "./transfer-dialog.tsx";

/** Shows one person: roles, sign-in methods, and the actions on their membership. */
export function PersonInspector({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const people = usePeople();
  const person = people?.get(id);
  useAbsence(people !== undefined && person === undefined);
  return (
    <Inspector title={person?.name ?? "Person"} onClose={onClose}>
      {person !== undefined ? (
        <Details
          person={person}
          owners={[...(people?.values() ?? [])].filter(({ role }) => role === "owner").length}
          onGone={onClose}
        />
      ) : (
        <Loading />
      )}
    </Inspector>
  );
}

function Details({ person, owners, onGone }: { person: Person; owners: number; onGone: () => void }): ReactNode {
  const mayAudit = useMayIn(null, "audit:read");
  return (
    <>
      <Facts
        items={[
          ["E-mail", <Copyable key="email" text={person.email} />],
          ["Id", <Copyable key="id" text={person.user_id} />],
          ["Joined", <Time key="joined" at={person.created_at} />],
          ["Membership ends", <EndOf key="end" at={person.expires_at} />],
          ["Last seen", <Time key="seen" at={person.last_seen_at} />],
          ["Second factor", <SecondFactor key="factor" has={person.second_factor} />],
        ]}
      />
      <Role key={`role ${person.etag}`} person={person} owners={owners} />
      <MembershipEnd key={`end ${person.etag}`} person={person} owners={owners} />
      <ProjectsOf id={person.user_id} />
      <p className="flex flex-wrap gap-x-4">
        {mayAudit && (
          <PageLink page="audit" search={{ actor: person.user_id }}>
            What they did
          </PageLink>
        )}
        <PageLink page="roles" search={{ tab: "who" }}>
          Who can do what
        </PageLink>
      </p>
      <Acts person={person} owners={owners} onGone={onGone} />
    </>
  );
}

function Role({ person, owners }: { person: Person; owners: number }): ReactNode {
  const say = useSay();
  const mine = useMe()?.role ?? null;
  const [role, setRole] = useState(valueOfRole(person));
  const custom = useCustomRoles("organization");
  const fixed = whyFixed({ mine, mayWrite: useMayIn(null, "members:write"), present: person.role, owners });
  const refresh = useRefresh([ORGANIZATION_ROUTES.listMembers]);
  const [orphans, setOrphans] = useState<Orphans | null>(null);
  const params = { user_id: person.user_id };
  const query = orphans === null ? {} : { orphans };
  const isChanged = role !== valueOfRole(person);
  const body = bodyOfRole(role);
  const { etag } = person;
  const plan = usePlan(ORGANIZATION_ROUTES.updateMember, { params, body, query }, { enabled: isChanged, etag });
  const update = useVersionedChange(ORGANIZATION_ROUTES.updateMember, {
    changes: [
      ORGANIZATION_ROUTES.listMembers,
      ORGANIZATION_ROUTES.getMe,
      ORGANIZATION_ROUTES.listCredentials,
      ORGANIZATION_ROUTES.listS3Keys,
    ],
    onDone: (member) => say(`${member.name} is ${titleOfRole(member)} now`),
  });
  const reload = (): void => {
    refresh();
    update.reset();
    if (isChanged) void plan.refetch();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    update.mutate({ params, body, query, etag: plan.data?.etag ?? etag });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 border-t border-line pt-3">
      <SelectField
        label="Role in the organization"
        value={role}
        disabled={fixed !== null || update.isPending}
        hint={fixed ?? aboutRole(role, custom)}
        onChange={(event) => setRole(event.target.value as RoleValue<MemberRole>)}
      >
        {ORG_ROLES.filter((one) => one !== "owner" || person.role === "owner").map((one) => {
          const why = one === person.role ? null : whyNotGiven(one, mine);
          return (
            <option key={one} value={one} disabled={why !== null}>
              {one}
              {why !== null && `: ${why}`}
            </option>
          );
        })}
        <CustomRoleOptions roles={custom} />
      </SelectField>
      {isChanged && (
        <>
          <p className="text-ink-2">
            A change applies at once, also to the credentials for which they are responsible.
          </p>
          <OrphansField value={orphans} loses onChange={setOrphans} />
          {update.error === null && <PlanNote plan={plan} onReload={reload} />}
          <Button type="submit" look="main" className="self-start" busy={update.isPending}>
            Make {titleOfRole({ custom_role: null, ...body })}
          </Button>
        </>
      )}
      <ChangeError error={update.error} onReload={reload} />
    </form>
  );
}

/** Sets or removes the end of a membership. */
function MembershipEnd({ person, owners }: { person: Person; owners: number }): ReactNode {
  const say = useSay();
  const mine = useMe()?.role ?? null;
  const present = person.expires_at ?? undefined;
  const [end, setEnd] = useState(present);
  const fixed = whyFixed({ mine, mayWrite: useMayIn(null, "members:write"), present: person.role, owners });
  const refresh = useRefresh([ORGANIZATION_ROUTES.listMembers]);
  const update = useVersionedChange(ORGANIZATION_ROUTES.updateMember, {
    changes: [ORGANIZATION_ROUTES.listMembers, ORGANIZATION_ROUTES.listEndings],
    onDone: ({ name, expires_at }) => say(expires_at === null ? `${name} has no end now` : `The end is set`),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { expires_at: end ?? null };
    update.mutate({ params: { user_id: person.user_id }, body, etag: person.etag });
  };
  if (fixed !== null) return null;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 border-t border-line pt-3">
      <MomentField
        label="Membership ends (UTC)"
        hint="Empty: no end. Access ends at the next request, and so do their credentials."
        value={end}
        disabled={update.isPending}
        onChange={setEnd}
      />
      {end !== present && (
        <Button type="submit" className="self-start" busy={update.isPending}>
          {end === undefined ? "Remove the end" : "Set the end"}
        </Button>
      )}
      <ChangeError error={update.error} onReload={refresh} />
    </form>
  );
}

function ProjectsOf({ id }: { id: string }): ReactNode {
  const projects = useProjectRoles(useMayAnywhere("projects:read"));
  if (projects === undefined) return null;
  const own = projects.flatMap(({ project, roles }) => {
    const role = roles.get(id);
    return role === undefined ? [] : [{ project, role }];
  });
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-3">
      <h3>Roles in projects</h3>
      {own.length === 0 ? (
        <p className="text-ink-2">No role in the projects that you see.</p>
      ) : (
        <ul>
          {own.map(({ project, role }) => (
            <li key={project.id}>
              <PageLink page="projects" search={{ open: project.id }}>
                {project.name}
              </PageLink>{" "}
              {role}
            </li>
          ))}
        </ul>
      )}
      {projects.length >= PROJECTS_READ_MAX && (
        <p className="text-s text-ink-2">Among the {PROJECTS_READ_MAX} newest projects that you see.</p>
      )}
    </div>
  );
}

function Acts({ person, owners, onGone }: { person: Person; owners: number; onGone: () => void }): ReactNode {
  const [dialog, setDialog] = useState<"remove" | "transfer" | "end" | null>(null);
  const me = useMe();
  const question = { mine: me?.role ?? null, mayWrite: useMayIn(null, "members:write"), present: person.role };
  const fixed = whyFixed({ ...question, owners });
  const whyNotEnd = whyFixed({ ...question, owners: Infinity }); // also possible for the last owner
  const isMe = me?.id === person.user_id;
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-3">
      {me?.role === "owner" && !isMe && person.role !== "owner" && (
        <Button onClick={() => setDialog("transfer")}>Make owner</Button>
      )}
      <Button
        look="danger"
        disabled={whyNotEnd !== null}
        title={whyNotEnd ?? undefined}
        onClick={() => setDialog("end")}
      >
        End access
      </Button>
      <Button look="danger" disabled={fixed !== null} title={fixed ?? undefined} onClick={() => setDialog("remove")}>
        {isMe ? "Leave the organization" : "Remove"}
      </Button>
      {dialog === "transfer" && <TransferDialog person={person} onClose={() => setDialog(null)} />}
      {dialog === "end" && <EndAccessDialog person={person} onClose={() => setDialog(null)} />}
      {dialog === "remove" && (
        <RemoveDialog person={person} isMe={isMe} onRemoved={onGone} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}
