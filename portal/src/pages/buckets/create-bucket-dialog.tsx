import { ApiError } from "@mooring/client";
import { APP_SLUG_PATTERN, ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useProjectsFor } from "~/app/may.ts";
import { useOrganization, useProject } from "~/app/scope.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { Facts } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { slugFault, type App } from "./apps.ts";

/** Creates an app. While the person types the slug, it shows the addresses. */
export function CreateBucketDialog({
  onMade,
  onClose,
}: {
  onMade: (app: App) => void;
  onClose: () => void;
}): ReactNode {
  const projects = useProjectsFor("apps:write");
  const present = useProject();
  const [slug, setSlug] = useState("");
  const [name, setName] = useState("");
  const [chosen, setProject] = useState(present?.slug ?? "");
  const project = chosen === "" ? (projects[0]?.slug ?? "") : chosen;
  const create = useAct(ORGANIZATION_ROUTES.createApp, { changes: [ORGANIZATION_ROUTES.listApps], onDone: onMade });
  const isTaken = create.error instanceof ApiError && create.error.code === "duplicate_slug";
  const fault =
    isTaken && create.variables?.body.slug === slug
      ? "this name is already used in this organization"
      : slugFault(slug, APP_SLUG_PATTERN);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === undefined || isTaken)
      create.mutate({ body: { project, slug, name: name.trim() === "" ? undefined : name.trim() } });
  };
  return (
    <Dialog title="Create bucket" about="It is an app: a bucket and a repository of the same name." onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Bucket"
          autoFocus
          hint="Part of the addresses. It can't be changed later"
          error={fault}
          required
          value={slug}
          onChange={(event) => setSlug(event.target.value.toLowerCase())}
        />
        <TextField
          label="Name"
          hint="Shown in the portal. Empty: the bucket's name"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Project"
          hint={<NoProject hasSome={projects.length > 0} />}
          value={project}
          onChange={(event) => setProject(event.target.value)}
        >
          {projects.map((each) => (
            <option key={each.id} value={each.slug}>
              {each.slug}
            </option>
          ))}
        </SelectField>
        <AddressesOf slug={slug === "" ? "…" : slug} />
        {!isTaken && <ErrorNote error={create.error} />}
        <FormActions
          action="Create"
          busy={create.isPending}
          disabled={slug === "" || fault !== undefined || project === ""}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

function NoProject({ hasSome }: { hasSome: boolean }): ReactNode {
  if (hasSome) return null;
  return (
    <>
      A bucket belongs to a project.{" "}
      <PageLink page="projects" className={PROSE_LINK}>
        Create one
      </PageLink>{" "}
      first.
    </>
  );
}

function AddressesOf({ slug }: { slug: string }): ReactNode {
  const addresses = useAddresses();
  const organization = useOrganization();
  if (addresses === undefined) return null;
  return (
    <Facts
      items={[
        ["Bucket", <code key="bucket">{`${addresses.s3_endpoint}/${slug}`}</code>],
        ["Images", <code key="images">{`${addresses.registry_domain}/orgs/${organization.slug}/${slug}`}</code>],
      ]}
    />
  );
}
