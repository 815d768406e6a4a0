import { ORGANIZATION_ROUTES, type Scope } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { bodyOf, faultOf, isSameList, readAddressList } from "~/access/address-list.ts";
import { AddressesField } from "~/access/addresses-field.tsx";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { useGrant } from "./grant.ts";
import { PermissionPicker } from "./permission-picker.tsx";
import { cut } from "~/access/permissions.ts";
import type { Credential } from "./types.ts";

/** Changes a credential's name, permissions and addresses; what it holds already may stay, even where one could not give it. */
export function EditDialog({ credential, onClose }: { credential: Credential; onClose: () => void }): ReactNode {
  const say = useSay();
  const grant = useGrant(credential.project_id);
  const [name, setName] = useState(credential.name);
  const [requested, setRequested] = useState<readonly Scope[]>(credential.scopes);
  const [text, setText] = useState((credential.allowed_addresses ?? []).join("\n"));
  const addresses = readAddressList(text);
  const update = useAct(ORGANIZATION_ROUTES.updateCredential, {
    changes: [ORGANIZATION_ROUTES.listCredentials, ORGANIZATION_ROUTES.getCredential],
    onDone: () => {
      say("Changed; its tokens hold what it holds now");
      onClose();
    },
  });
  const isSame = requested.toSorted().join() === credential.scopes.toSorted().join();
  const scopes = cut(requested, grant).given;
  const isSamePlace = isSameList(addresses.ranges, credential.allowed_addresses);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    update.mutate({
      params: { credential_id: credential.id },
      body: {
        ...(name === credential.name ? {} : { name }),
        ...(isSame ? {} : { scopes: [...scopes] }),
        ...(isSamePlace ? {} : { allowed_addresses: bodyOf(addresses) }),
      },
    });
  };
  const isNothing = isSame && isSamePlace && name === credential.name;
  return (
    <Dialog title={`Change ${credential.name}`} onClose={onClose} wide>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          value={name}
          maxLength={100}
          required
          onChange={(event) => setName(event.target.value)}
        />
        <PermissionPicker requested={requested} grant={grant} onChange={setRequested} />
        <AddressesField
          label="May be used from"
          hint="Addresses and CIDR ranges; empty: from anywhere. Holds within a second, for tokens that are out already too."
          text={text}
          onChange={setText}
          shutOut="Programs with this credential at your address will be refused. You yourself are not: this binds programs, not people in the portal."
        />
        <ErrorNote error={update.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="main"
            type="submit"
            busy={update.isPending}
            disabled={isNothing || name === "" || faultOf(addresses) !== null || (!isSame && scopes.length === 0)}
          >
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
