import type { AuditEvent } from "#domain/audit/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { createOutbound, type Outbound } from "#stores/outbound/index.ts";
import { Activity } from "./activity/index.ts";
import { createAuthenticator } from "./authenticator.ts";
import { ChangeFeed } from "./changes/index.ts";
import { Federation } from "./federation/index.ts";
import {
  createCredentials,
  createGate,
  createIngestKeys,
  createS3Keys,
  CredentialStates,
  hashRenewal,
  isLive,
  KeyOrigins,
  SenderProjects,
  RefusalLog,
  Senders,
  SignIn,
  Trusts,
  UsageLog,
  type Credentials,
  type CredentialState,
  type Gate,
  type IngestKeys,
  type Origin,
  type S3Keys,
} from "./credentials/index.ts";
import {
  createEnvelope,
  derivedMasterId,
  discardNewKeyFile,
  KeyRing,
  masterKeyIdOf,
  openMasters,
  RingWork,
  SigningKeys,
  type Envelope,
  type KeyService,
  type SigningAlg,
} from "./keys/index.ts";
import type { Authenticator } from "./access/index.ts";
import {
  revokeToken,
  TokenIssuer,
  TokenVerifier,
  type AccessTokenClaims,
  type RevocationContext,
} from "./tokens/index.ts";

export interface IdentityOptions {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  /** The directory of `master.key`. */
  readonly dataDir: string;
  /** 32 bytes in base64 or hexadecimal, instead of the file. */
  readonly masterKey?: string | undefined;
  /** The former master key, during a rotation. */
  readonly masterKeyPrevious?: string | undefined;
  /** Wraps the key ring instead of a master key of this node. */
  readonly keyService?: KeyService | undefined;
  /** `iss` of every token, and the base of the URLs in the metadata. */
  readonly issuer: string;
  readonly audience: string;
  /** Default: ES256. */
  readonly tokenAlg?: SigningAlg;
  /** Reads the keys of trusted issuers. Default: from public addresses only. */
  readonly outbound?: Pick<Outbound, "check" | "get">;
  readonly log: { warn(fields: object, message: string): void };
  /** Runs the periodic work of identity. */
  readonly schedule: Schedule;
}

/** Identity and permissions on one node. */
export interface Identity {
  readonly issuer: string;
  readonly authenticator: Authenticator;
  readonly signIn: SignIn;
  readonly credentials: Credentials;
  readonly s3Keys: S3Keys;
  readonly ingestKeys: IngestKeys;
  /** Authentication of programs that send telemetry. */
  readonly senders: Senders;
  /** The origins of web pages that ingest keys name. */
  readonly keyOrigins: KeyOrigins;
  /** The projects that these programs name. */
  readonly senderProjects: SenderProjects;
  /** Issuers whose tokens replace a credential's secret. */
  readonly trusts: Trusts;
  /**
   * Returns the current state of a credential, for tokens that other services issue for it. Undefined if it is void or
   * has another epoch.
   * @throws Problem `unavailable` if this node can't decide; `address_not_allowed`
   */
  present(credentialId: string, epoch: number, origin: Origin): Promise<CredentialState | undefined>;
  readonly tokens: {
    readonly issuer: TokenIssuer;
    readonly verifier: TokenVerifier;
    /**
     * Returns the credential of an access token, for services with separate tokens. It has no more scopes than the
     * token.
     * @throws Problem `invalid_token`, `approval_pending`, `address_not_allowed`, `unavailable`
     */
    holder(token: string, origin: Origin): Promise<{ credential: CredentialState; claims: AccessTokenClaims }>;
    revoke(claims: AccessTokenClaims, context: RevocationContext): Promise<{ propagated: boolean }>;
  };
  readonly keys: SigningKeys;
  /** Retires a signing key that leaked. From now on nothing that it signed is accepted. */
  retireKeyNow(kid: string, actor?: AuditEvent["actor"]): Promise<{ propagated: boolean }>;
  readonly envelope: Envelope;
  readonly ring: KeyRing;
  readonly feed: ChangeFeed;
  /** Recent requests of credentials. */
  readonly activity: Activity;
  /** The last use of each credential. */
  readonly usage: Pick<UsageLog, "touch">;
  /** Refused sign-ins, including those of people. */
  readonly refusals: Pick<RefusalLog, "record">;
  /** Since the start. */
  counts(): { tokensIssued: number; refusals: number };
  /** Registers the node, keeps its view current and does the periodic work. Short-lived processes do not call it. */
  start(): Promise<void>;
  /** Writes the pending counts and stops. May be called without `start`. */
  stop(): Promise<void>;
}

const UPKEEP_EVERY_MS = 60 * 60 * 1000;

/** @throws Error that names the remedy when the master key is absent or not the database's */
export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { metadata, clock, issuer, audience } = options;
  const { ring, envelope, keys } = await openKeys(options);
  const feed = new ChangeFeed({ ...options, ring });
  const upkeep = createUpkeep({ keys, ring, feed }, options); // listens before the others, which may need the new keys
  const states = new CredentialStates(metadata, clock, feed);
  const refusals = new RefusalLog(options);
  const usage = new UsageLog(options);
  const activity = new Activity(options);
  const verifier = new TokenVerifier({ clock, keys, feed, states, issuer, audience });
  const gate = createGate(refusals);
  const tokenIssuer = new TokenIssuer({ clock, keys, refusals, gate, issuer, audience });
  const outbound = options.outbound ?? createOutbound({ privateAddresses: false, clock, userAgent: "Mooring" });
  const federation = new Federation({ clock, outbound });
  const renewHash = hashRenewal(options);
  const credentials = createCredentials({ metadata, clock, envelope, feed });
  const authenticator = createAuthenticator({ verifier, usage, gate });
  const sent = { clock, envelope, renewHash, states, feed, refusals, usage, gate };
  return {
    issuer,
    authenticator,
    signIn: new SignIn({ ...sent, federation }),
    keyOrigins: new KeyOrigins(metadata, clock, feed),
    senderProjects: new SenderProjects(metadata, feed),
    senders: new Senders({ ...sent, authenticator, log: options.log }),
    credentials,
    s3Keys: createS3Keys({ metadata, clock, envelope, feed }),
    ingestKeys: createIngestKeys({ metadata, clock, envelope, feed }, credentials),
    trusts: new Trusts({ metadata, clock, credentials, federation, outbound, issuer }),
    present: (id, epoch, origin) => present({ feed, states, clock, gate, usage }, { id, epoch }, origin),
    tokens: {
      issuer: tokenIssuer,
      verifier,
      holder: async (token, origin) => {
        const { credential, scopes, withheld, claims } = await verifier.verify(token);
        gate.require(credential, origin);
        usage.touch(credential.id);
        return { credential: { ...credential, scopes, withheld }, claims };
      },
      revoke: (claims, context) => revokeToken({ metadata, clock, feed }, claims, context),
    },
    keys,
    retireKeyNow: async (kid, actor) => {
      const seq = await keys.retireNow(kid, actor);
      await feed.sync();
      return { propagated: await feed.propagate(seq) };
    },
    envelope,
    ring,
    activity,
    usage,
    feed,
    refusals,
    counts: () => ({ tokensIssued: tokenIssuer.total, refusals: refusals.total }),
    start: async () => {
      await feed.start();
      await upkeep.start();
    },
    stop: async () => {
      // Each step runs even if another fails, for example because the database can't be reached.
      federation.stop();
      const outcomes = [];
      for (const part of [upkeep, feed, refusals, usage, activity])
        outcomes.push(...(await Promise.allSettled([part.stop()])));
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed !== undefined) throw new Error("cannot stop identity cleanly", { cause: failed.reason });
    },
  };
}

/** See `Identity.present`. */
async function present(
  deps: { feed: ChangeFeed; states: CredentialStates; clock: Clock; gate: Gate; usage: UsageLog },
  { id, epoch }: { readonly id: string; readonly epoch: number },
  origin: Origin,
): Promise<CredentialState | undefined> {
  const { feed, states, clock, gate, usage } = deps;
  await feed.ensureFresh();
  const cached = await states.byId(id);
  // The cached state may be older than the state with which another node issued the token.
  const state = cached !== undefined && epoch > cached.epoch ? await states.readById(id) : cached;
  if (state === undefined || state.epoch !== epoch || !isLive(state, clock.nowMs())) return undefined;
  gate.require(state, origin);
  usage.touch(id);
  return state;
}

async function openKeys(options: IdentityOptions): Promise<{ ring: KeyRing; envelope: Envelope; keys: SigningKeys }> {
  const { metadata, clock, dataDir } = options;
  const derivedFrom = await derivedMasterId(metadata.read);
  const referencedId = await masterKeyIdOf(metadata.read);
  const { masterKey: configured, masterKeyPrevious: previous, keyService: service } = options;
  const masters = await openMasters({ dataDir, configured, previous, service, referencedId });
  try {
    const ring = await KeyRing.open({ metadata, clock, masters, derivedFrom });
    const envelope = createEnvelope({ ring, nowMs: () => clock.nowMs() });
    const alg = options.tokenAlg ?? "ES256";
    const keys = new SigningKeys({ metadata, clock, envelope, renewKeys: () => ring.renew(), alg });
    await keys.load();
    return { ring, envelope, keys };
  } catch (error) {
    await discardNewKeyFile(dataDir, masters.local); // Another node was faster and used another master key.
    throw error;
  }
}

function createUpkeep(
  { keys, ring, feed }: { readonly keys: SigningKeys; readonly ring: KeyRing; readonly feed: ChangeFeed },
  { log, schedule }: Pick<IdentityOptions, "log" | "schedule">,
): { start(): Promise<void>; stop(): Promise<void> } {
  const failed = (error: unknown): void => log.warn({ err: error }, "cannot maintain the signing keys");
  const ringWork = new RingWork({ ring, feed, log, schedule });
  let upkeep: ScheduledWork | undefined;
  return {
    start: async () => {
      ringWork.start();
      await keys.maintain().catch(failed);
      upkeep = schedule.add("signing keys", { everyMs: UPKEEP_EVERY_MS, run: () => keys.maintain(), failed });
    },
    stop: async () => {
      await ringWork.stop();
      await upkeep?.stop();
    },
  };
}
