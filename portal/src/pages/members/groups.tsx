import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { EndOf } from "~/access/end-of.tsx";
import { usePeople } from "~/access/people.ts";
import { useAct, useList } from "~/api/queries.ts";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { MomentField } from "~/kit/moment-fields.tsx";
import { useVersionedChange } from "~/kit/versioned.tsx";
import { Section } from "~/kit/page.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";

type Group = ResultOf<typeof ORGANIZATION_ROUTES.listGroups>["items"][number];
type Member = ResultOf<typeof ORGANIZATION_ROUTES.listGroupMembers>["items"][number];

const CHANGES = [
  ORGANIZATION_ROUTES.listGroups,
  ORGANIZATION_ROUTES.listGroupMembers,
  ORGANIZATION_ROUTES.listProjectGroups,
  ORGANIZATION_ROUTES.listEndings,
  ORGANIZATION_ROUTES.getMe,
];

const COLUMNS: readonly Column<Group>[] = [
  { title: "Name", grow: true, cell: ({ name }) => name },
  { title: "Slug", cell: ({ slug }) => <code>{slug}</code> },
  { title: "Members", number: true, cell: ({ members }) => members },
  { title: "Claim", cell: ({ claim }) => (claim === null ? "by hand" : <code>{claim}</code>) },
];

/** Lists the groups of the organization. A row opens the group's members. */
export function Groups({ mayWrite }: { mayWrite: boolean }): ReactNode {
  const list = useList(ORGANIZATION_ROUTES.listGroups, {});
  const [open, setOpen] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const group = list.items.find(({ id }) => id === open);
  return (
    <Section
      title="Groups"
      about="A group has roles in projects. Its members have them, too."
      flush
      actions={
        <Button
          disabled={!mayWrite}
          title={mayWrite ? undefined : "Your role lacks members:write"}
          onClick={() => setCreating(true)}
        >
          Create group
        </Button>
      }
    >
      <ListTable
        label="Groups of the organization"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        openKey={open}
        onOpen={({ id }) => setOpen(id)}
        empty={<p className="p-3.5 text-ink-2">There are no groups.</p>}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      {group !== undefined && <GroupDialog group={group} mayWrite={mayWrite} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }): ReactNode {
  const isOwner = useMe()?.role === "owner";
  const [slug, setSlug] = useState("");
  const [claim, setClaim] = useState("");
  const create = useAct(ORGANIZATION_ROUTES.createGroup, { changes: CHANGES, onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ body: { slug, ...(claim === "" ? {} : { claim }) } });
  };
  return (
    <Dialog title="Create group" about="Give it roles on the page Projects, under Members." onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Slug"
          className="mono"
          required
          maxLength={39}
          value={slug}
          onChange={({ target }) => setSlug(target.value)}
        />
        {isOwner && (
          <TextField
            label="Claim of the provider"
            hint="People whose claim has exactly this value become members when they sign in. Empty: only by hand"
            maxLength={256}
            value={claim}
            onChange={({ target }) => setClaim(target.value)}
          />
        )}
        <ErrorNote error={create.error} />
        <FormActions action="Create" busy={create.isPending} disabled={slug === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function GroupDialog({
  group,
  mayWrite,
  onClose,
}: {
  group: Group;
  mayWrite: boolean;
  onClose: () => void;
}): ReactNode {
  const [isDeleting, setDeleting] = useState(false);
  const params = { group_id: group.id };
  const list = useList(ORGANIZATION_ROUTES.listGroupMembers, { params });
  const leave = useAct(ORGANIZATION_ROUTES.deleteGroupMember, { changes: CHANGES });
  const remove = useAct(ORGANIZATION_ROUTES.deleteGroup, { changes: CHANGES, onDone: onClose });
  if (isDeleting)
    return (
      <DangerDialog
        title={`Delete ${group.name}`}
        about={<p>Its members lose its roles in projects at once, and so do their credentials.</p>}
        action="Delete"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ params })}
        onClose={() => setDeleting(false)}
      />
    );
  return (
    <Dialog title={`Group ${group.name}`} onClose={onClose}>
      <ErrorNote error={list.error ?? leave.error} />
      {!list.isPending && list.items.length === 0 && <p>It has no members.</p>}
      <ul>
        {list.items.map((member) => (
          <MemberItem
            key={`${member.user_id} ${member.source}`}
            member={member}
            mayRemove={mayWrite && member.source === "manual" && !leave.isPending}
            onRemove={() => leave.mutate({ params: { ...params, user_id: member.user_id } })}
          />
        ))}
      </ul>
      {list.hasMore && <More list={list} />}
      {mayWrite && (
        <>
          <AddMember group={group} present={list.items} />
          <Button look="danger" className="self-start" onClick={() => setDeleting(true)}>
            Delete this group
          </Button>
        </>
      )}
    </Dialog>
  );
}

function MemberItem({
  member,
  mayRemove,
  onRemove,
}: {
  member: Member;
  mayRemove: boolean;
  onRemove: () => void;
}): ReactNode {
  return (
    <li className="flex flex-wrap items-center gap-2 border-b border-line py-1.5">
      <span className="min-w-0 flex-1 truncate" title={member.email}>
        {member.name}
      </span>
      <span className="text-ink-2">{member.source === "oidc" ? "by the claim" : "by hand"}</span>
      <EndOf at={member.expires_at} />
      <Button look="quiet" disabled={!mayRemove} onClick={onRemove} aria-label={`Remove ${member.name}`}>
        Remove
      </Button>
    </li>
  );
}

function AddMember({ group, present }: { group: Group; present: readonly Member[] }): ReactNode {
  const people = usePeople();
  const [userId, setUserId] = useState("");
  const [end, setEnd] = useState<string>();
  const put = useVersionedChange(ORGANIZATION_ROUTES.putGroupMember, { changes: CHANGES, onDone: () => setUserId("") });
  const others = [...(people?.values() ?? [])].filter(
    ({ user_id: id }) => !present.some((member) => member.user_id === id && member.source === "manual"),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    put.mutate({ params: { group_id: group.id, user_id: userId }, body: { expires_at: end ?? null }, etag: null });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <SelectField label="Add a person" value={userId} onChange={({ target }) => setUserId(target.value)}>
        <option value="">Choose…</option>
        {others.map(({ user_id, name, email }) => (
          <option key={user_id} value={user_id}>
            {name} ({email})
          </option>
        ))}
      </SelectField>
      <MomentField label="Until (UTC)" hint="Empty: no end" value={end} onChange={setEnd} />
      <ErrorNote error={put.error} />
      <Button type="submit" className="self-start" busy={put.isPending} disabled={userId === ""}>
        Add
      </Button>
    </form>
  );
}
