import { localKeyService, type KeyContext, type KeyService } from "./key-service.ts";
import { openMasterKeys, presentMasterKeys, type MasterKey, type MasterKeyOptions } from "./master-key.ts";

/** The ids of keys of an external service begin with this. */
const SERVICE_PREFIX = "service:";

/** The master keys that this process can use. During a rotation there are two. */
export interface Masters {
  /** The ids of the usable keys, the one for a new ring first. */
  ids(): readonly string[];
  /** Keys from the file or the configuration. */
  readonly local: readonly MasterKey[];
  wrap(masterId: string, bytes: Uint8Array, context: KeyContext): Promise<Uint8Array>;
  unwrap(masterId: string, bytes: Uint8Array, context: KeyContext): Promise<Buffer>;
  /** Whether the key is that of the service, which may take long or be away. */
  isOfService(masterId: string): boolean;
  /** Reads the file again. */
  refreshFile(): Promise<void>;
  /** Reads the file again, and asks the service for its key. */
  refresh(): Promise<void>;
}

export interface MastersOptions extends MasterKeyOptions {
  readonly service?: KeyService | undefined;
}

/** @throws Error that names the remedy if a key is absent, malformed, or not the database's */
export async function openMasters(options: MastersOptions): Promise<Masters> {
  const { service, referencedId } = options;
  if (service === undefined && referencedId?.startsWith(SERVICE_PREFIX) === true)
    throw new Error(
      `cannot open the master key: the database is sealed under key ${referencedId}. Set master_key_command (MOORING_MASTER_KEY_COMMAND) as on the other servers.`,
    );
  const wanted = service === undefined ? await openMasterKeys(options) : await presentMasterKeys(options);
  let local = new Map(wanted.map((key) => [key.id, key]));
  let serviceKeyId = service === undefined ? undefined : (await service.status()).keyId;
  const services = new Map<string, KeyService>();

  function serviceOf(masterId: string): KeyService {
    const known = services.get(masterId);
    if (known !== undefined) return known;
    const key = local.get(masterId);
    const found = key === undefined ? service : localKeyService(key);
    if (found === undefined || (key === undefined && !masterId.startsWith(SERVICE_PREFIX)))
      throw new Error(`cannot use master key ${masterId}: this node has ${[...local.keys()].join(" and ") || "none"}`);
    services.set(masterId, found);
    return found;
  }

  const masters: Masters = {
    ids: () => [...(serviceKeyId === undefined ? [] : [SERVICE_PREFIX + serviceKeyId]), ...local.keys()],
    get local() {
      return [...local.values()];
    },
    wrap: (masterId, bytes, context) => serviceOf(masterId).wrap(bytes, context),
    unwrap: async (masterId, bytes, context) => {
      const keyId = masterId.startsWith(SERVICE_PREFIX) ? masterId.slice(SERVICE_PREFIX.length) : masterId;
      return Buffer.from(await serviceOf(masterId).unwrap({ keyId, bytes }, context));
    },
    isOfService: (masterId) => masterId.startsWith(SERVICE_PREFIX),
    refreshFile: async () => {
      local = new Map((await presentMasterKeys(options)).map((key) => [key.id, key]));
      services.clear();
    },
    refresh: async () => {
      await masters.refreshFile();
      if (service !== undefined) serviceKeyId = (await service.status()).keyId;
    },
  };
  if (referencedId !== undefined && service !== undefined) serviceOf(referencedId);
  return masters;
}
