import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { Time } from "~/kit/time.tsx";
import { Commands } from "./commands.tsx";
import { deleteCommands, imageName, type Manifest, type Repository } from "./images.ts";

interface DeleteImageDialogProps {
  repository: Repository;
  reference: string;
  manifest: Manifest;
  onClose: () => void;
}

/** A tag or a manifest is deleted by the registry's own protocol, which takes credentials and no session: says what would break, and how. */
export function DeleteImageDialog({ repository, reference, manifest, onClose }: DeleteImageDialogProps): ReactNode {
  const domain = useAddresses()?.registry_domain ?? "";
  const isTag = !reference.includes(":");
  const others = manifest.tags.filter((tag) => tag !== reference);
  return (
    <Dialog title={isTag ? `Delete the tag ${reference}` : "Delete this image"} onClose={onClose} wide>
      <p>
        Pulled {plural(manifest.pulls, "time")}, last <Time at={manifest.last_pull_at} />. Whoever pulls{" "}
        <code>{imageName(domain, repository.name, reference)}</code> afterwards is told that there is none.
      </p>
      {isTag ? (
        <p>
          The tag alone goes.{" "}
          {others.length === 0
            ? "The image has no other tag: it stays under its digest until rules or you delete it."
            : `The image keeps ${plural(others.length, "other tag")}.`}
        </p>
      ) : (
        <p>
          The image goes with {plural(manifest.tags.length, "tag")}, and after it what refers to it: signatures, bills
          of materials.
        </p>
      )}
      <p className="text-ink-2">
        The registry deletes by its own protocol, logged in with a credential that holds <code>registry:delete</code>:
      </p>
      <Commands label="Delete by" commands={deleteCommands(imageName(domain, repository.name, reference))} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
