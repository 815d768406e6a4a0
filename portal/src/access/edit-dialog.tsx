import type { Scope } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, type Versioned } from "~/kit/versioned.tsx";
import { bodyOf, faultOf, isSameList, readAddressList } from "./address-list.ts";
import { AddressesField } from "./addresses-field.tsx";
import { useGrant } from "./grant.ts";
import { useChangeItem, useVersionedItem, type AccessChange, type AccessItem, type AccessKind } from "./kind.ts";
import { PermissionPicker } from "./permission-picker.tsx";
import { cut } from "./permissions.ts";
import { ResourceFields } from "./resource-fields.tsx";
import { isSameResources, kindsOf, missingKinds, resourcesIn, textsOf, type Resources } from "./resources.ts";

interface EditProps<T extends AccessItem> {
  kind: AccessKind<T>;
  item: T;
  onClose: () => void;
}

/** Changes the name, the addresses, the resources and, where the kind allows it, the permissions. */
export function EditDialog<T extends AccessItem>({ kind, item, onClose }: EditProps<T>): ReactNode {
  const read = useVersionedItem(kind, item.id);
  return (
    <Dialog title={`Change ${visibleText(item.name)}`} onClose={onClose} wide={kind.hasMutableScopes}>
      <Loaded result={read}>
        {(versioned) => (
          <EditForm
            key={versioned.etag ?? ""}
            kind={kind}
            versioned={versioned}
            onReload={() => void read.refetch()}
            onClose={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

interface FormProps<T extends AccessItem> {
  kind: AccessKind<T>;
  versioned: Versioned<T>;
  onReload: () => void;
  onClose: () => void;
}

function EditForm<T extends AccessItem>({ kind, versioned, onReload, onClose }: FormProps<T>): ReactNode {
  const item = versioned.value;
  const say = useSay();
  const [texts, setTexts] = useState(item.resources === null ? null : textsOf(item.resources));
  const grant = { ...useGrant(item.project_id), isLimited: texts !== null };
  const [name, setName] = useState(item.name);
  const [requested, setRequested] = useState(item.scopes);
  const [text, setText] = useState((item.allowed_addresses ?? []).join("\n"));
  const [limits, setLimits] = useState(kind.limits?.textsOf(item) ?? {});
  const addresses = readAddressList(text);
  const given = cut(requested, grant).given;
  const needed = kindsOf(requested);
  const kinds = kind.resourceKinds.filter((one) => needed.includes(one) || item.resources?.[one] !== undefined);
  const resources = texts === null ? null : resourcesIn(texts, kinds);
  const isNamed = texts === null || missingKinds(texts, needed).length === 0;
  const body = {
    ...changeOf(item, { name: name.trim(), requested, given, addresses: bodyOf(addresses), resources }),
    ...kind.limits?.changeOf(item, limits),
  };
  const { error, isPending, change } = useChangeItem(kind, () => {
    say(`Saved. The change applies from the ${kind.noun}'s next request.`);
    onClose();
  });
  const isReady = Object.keys(body).length > 0 && name.trim() !== "" && body.scopes?.length !== 0 && isNamed;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && faultOf(addresses) === null) change(versioned, body);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField label="Name" value={name} maxLength={100} required onChange={({ target }) => setName(target.value)} />
      {kind.hasMutableScopes && <PermissionPicker requested={requested} grant={grant} onChange={setRequested} />}
      <ResourceFields noun={kind.noun} project={item.project_id} kinds={kinds} texts={texts} onChange={setTexts} />
      {kind.limits?.fields(limits, (part) => setLimits((before) => ({ ...before, ...part })))}
      <AddressesField
        label="May be used from"
        hint="Addresses and CIDR ranges. Empty: from anywhere. The change applies to issued tokens and presigned URLs within a second."
        text={text}
        onChange={setText}
        shutOut={`Programs with this ${kind.noun} at your address will be refused. You can still use the portal: the list applies only to programs.`}
      />
      <ChangeError error={error} onReload={onReload} />
      <FormActions
        action="Save"
        busy={isPending}
        disabled={!isReady || faultOf(addresses) !== null}
        onCancel={onClose}
      />
    </form>
  );
}

interface Edited {
  readonly name: string;
  readonly requested: readonly Scope[];
  /** The requested permissions that the person may give. */
  readonly given: readonly Scope[];
  readonly addresses: readonly string[] | null;
  readonly resources: Resources | null;
}

/** Returns only the changed fields. An unchanged permission stays, even if the person may not give it. */
function changeOf(item: AccessItem, { name, requested, given, addresses, resources }: Edited): AccessChange {
  const hasSameScopes = requested.toSorted().join() === item.scopes.toSorted().join();
  return {
    ...(name === item.name ? {} : { name }),
    ...(hasSameScopes ? {} : { scopes: [...given] }),
    ...(isSameList(addresses, item.allowed_addresses) ? {} : { allowed_addresses: addresses }),
    ...(isSameResources(resources, item.resources) ? {} : { resources }),
  };
}
