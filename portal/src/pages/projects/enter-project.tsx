import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { titleOfRole } from "~/access/roles.tsx";
import { EndOf } from "~/access/end-of.tsx";
import { useAct, useList, useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { Facts, Loaded } from "~/kit/page.tsx";
import { More } from "~/kit/table.tsx";
import type { Project } from "./types.ts";

/** Shows the size and the members of a private project, and lets an owner enter it. */
export function EnterProject({ project }: { project: Project }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const params = { project_id: project.id };
  const size = useRead(ORGANIZATION_ROUTES.getProjectSize, { params });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-ink-2">
        You are an owner, and not a member of this private project. So you see its size and members, and revoke its{" "}
        <PageLink page="credentials" className="text-sea underline">
          credentials
        </PageLink>
        , but you do not see its content.
      </p>
      <Loaded result={size}>
        {(has) => (
          <Facts
            items={[
              ["Members", countText(has.members)],
              ["Groups", countText(has.groups)],
              ["Credentials", countText(has.credentials)],
              ["S3 keys", countText(has.s3_keys)],
              ["Apps", countText(has.apps)],
              ["Files", `${countText(has.files)}, ${bytesText(has.files_bytes)}`],
              ["Objects", `${countText(has.objects)}, ${bytesText(has.objects_bytes)}`],
              ["Images", bytesText(has.images_bytes)],
            ]}
          />
        )}
      </Loaded>
      <Members project={project} />
      <Button className="self-start" onClick={() => setOpen(true)}>
        Enter the project
      </Button>
      {isOpen && <EnterDialog project={project} onClose={() => setOpen(false)} />}
    </div>
  );
}

function Members({ project }: { project: Project }): ReactNode {
  const list = useList(ORGANIZATION_ROUTES.listProjectMembers, { params: { project_id: project.id } });
  return (
    <section aria-label="Members of the project">
      <h3>Members</h3>
      <ErrorNote error={list.error} />
      <ul>
        {list.items.map((member) => (
          <li key={member.user_id} className="flex flex-wrap items-center gap-2 border-b border-line py-1.5">
            <span className="min-w-0 flex-1 truncate" title={member.email}>
              {member.name}
            </span>
            <span className="text-ink-2">{titleOfRole(member)}</span>
            <EndOf at={member.expires_at} />
          </li>
        ))}
      </ul>
      {list.hasMore && <More list={list} />}
    </section>
  );
}

function EnterDialog({ project, onClose }: { project: Project; onClose: () => void }): ReactNode {
  const [reason, setReason] = useState("");
  const enter = useAct(ORGANIZATION_ROUTES.enterProject, {
    changes: [ORGANIZATION_ROUTES.getMe, ORGANIZATION_ROUTES.listProjectMembers, ORGANIZATION_ROUTES.listEndings],
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enter.mutate({ params: { project_id: project.id }, body: { reason } });
  };
  return (
    <Dialog
      title={`Enter ${project.name}`}
      about="You are a member for a day. The audit log has the reason, and the maintainers get a mail."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Reason"
          required
          maxLength={500}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <ErrorNote error={enter.error} />
        <FormActions action="Enter" busy={enter.isPending} disabled={reason === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
