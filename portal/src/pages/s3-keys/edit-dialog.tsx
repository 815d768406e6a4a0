import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { bodyOf, faultOf, isSameList, readAddressList } from "~/access/address-list.ts";
import { AddressesField } from "~/access/addresses-field.tsx";
import type { S3Key } from "~/access/s3-keys.ts";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { useSay } from "~/kit/toast.tsx";

/** Changes a key's name and addresses. What else it may is chosen once: for more, another key is made. */
export function EditKeyDialog({ s3Key: key, onClose }: { s3Key: S3Key; onClose: () => void }): ReactNode {
  const say = useSay();
  const [name, setName] = useState(key.name);
  const [text, setText] = useState((key.allowed_addresses ?? []).join("\n"));
  const addresses = readAddressList(text);
  const isSamePlace = isSameList(addresses.ranges, key.allowed_addresses);
  const update = useAct(ORGANIZATION_ROUTES.updateS3Key, {
    changes: [ORGANIZATION_ROUTES.listS3Keys, ORGANIZATION_ROUTES.getS3Key],
    onDone: () => {
      say("Changed; it holds from the key's next request on");
      onClose();
    },
  });
  const isReady = name.trim() !== "" && faultOf(addresses) === null && (!isSamePlace || name.trim() !== key.name);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    update.mutate({
      params: { key_id: key.id },
      body: {
        ...(name.trim() === key.name ? {} : { name: name.trim() }),
        ...(isSamePlace ? {} : { allowed_addresses: bodyOf(addresses) }),
      },
    });
  };
  return (
    <Dialog title={`Change ${visibleText(key.name)}`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          value={name}
          maxLength={100}
          required
          onChange={(event) => setName(event.target.value)}
        />
        <AddressesField
          label="May be used from"
          hint="Addresses and CIDR ranges; empty: from anywhere. Presigned URLs of the key are bound as well."
          text={text}
          onChange={setText}
          shutOut="Programs with this key at your address will be refused. You yourself are not: this binds programs, not people in the portal."
        />
        <ErrorNote error={update.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={update.isPending} disabled={!isReady}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
