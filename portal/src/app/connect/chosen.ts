import { useAddresses } from "~/api/addresses.ts";
import type { Topic } from "../topic.ts";
import { useMe, useOrganization, useProject } from "../scope.ts";
import { useChoices, type Choices, type ConnectApp, type ConnectCredential, type ConnectKey } from "./choices.ts";
import { bestApp, bestHolder } from "./choose.ts";
import type { ConnectRequest } from "./request.ts";
import { PLACEHOLDERS, TOPIC_SCOPES, type SnippetInput } from "./snippets/index.ts";

interface Picked {
  /** The topic of the open tool. */
  readonly spoken: Topic;
  readonly app: string | undefined;
  readonly clientId: string | undefined;
  readonly keyId: string | undefined;
}

export interface Chosen {
  readonly input: SnippetInput;
  readonly choices: Choices;
  /** The credential or key in the snippets, if it is known. */
  readonly holder: ConnectCredential | ConnectKey | undefined;
  readonly app: ConnectApp | undefined;
  /** Ids of private projects. */
  readonly hidden: ReadonlySet<string>;
}

/** Returns the values for snippets: the chosen ones, and defaults for the others. Null while addresses load. */
export function useChosen({ credential, accessKey }: ConnectRequest, picked: Picked): Chosen | null {
  const addresses = useAddresses();
  const organization = useOrganization();
  const project = useProject();
  const me = useMe();
  const choices = useChoices();
  if (addresses === undefined) return null;
  const hidden = new Set(me?.projects.filter(({ visibility }) => visibility === "private").map(({ id }) => id));
  const known = choices.credentials.find(({ client_id }) => client_id === picked.clientId);
  const best = picked.clientId === undefined ? bestHolder(choices.credentials, TOPIC_SCOPES[picked.spoken]) : known;
  const key = choices.keys.find(({ access_key_id: id }) => id === picked.keyId) ?? choices.keys[0];
  const holder = picked.spoken === "s3" ? key : best;
  const app = choices.apps.find(({ slug }) => slug === picked.app) ?? bestApp(choices.apps, holder, hidden);
  const input: SnippetInput = {
    topic: picked.spoken,
    addresses,
    org: organization.slug,
    project: project?.slug ?? app?.project_slug ?? null,
    app: picked.app ?? app?.slug ?? PLACEHOLDERS.app,
    clientId: picked.clientId ?? best?.client_id ?? PLACEHOLDERS.clientId,
    clientSecret: picked.clientId === credential?.clientId ? credential?.clientSecret : undefined,
    accessKeyId: picked.keyId ?? key?.access_key_id ?? PLACEHOLDERS.accessKeyId,
    secretAccessKey: picked.keyId === accessKey?.id ? accessKey?.secret : undefined,
  };
  return { input, choices, holder, app, hidden };
}
