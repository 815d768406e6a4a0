export {
  createEnvelope,
  splitSigned,
  type Envelope,
  type Hasher,
  type KeyedHash,
  type Lookups,
  type SealedPlace,
  type Seals,
  type Signatures,
} from "./envelope.ts";
export type { KeyService } from "./key-service.ts";
export { signJws, verifyJws, type SigningAlg } from "./key-pair.ts";
export { KeyRing } from "./keyring.ts";
export { derivedMasterId, masterKeyIdOf } from "./needed-master.ts";
export { discardNewKeyFile, masterKeysIn } from "./master-key.ts";
export { adoptLookups, insertAdopted, lookupsToMove, namedLookup, type MovedLookup } from "./moved-lookups.ts";
export { openMasters, type Masters } from "./masters.ts";
export { KEY_SETTLE_MS, rotateData, type DataRotation } from "./rotate-data.ts";
export { cancelRotation, rotateMaster, RotationHeld, type RotationDeps } from "./rotate-master.ts";
export { forgetMasterKey, keyStatus, type KeyStatus } from "./status.ts";
export { RingWork } from "./ring-work.ts";
export { SigningKeys, type Signer, type SigningKeyInfo, type Verifier } from "./signing-keys.ts";
export { SEALED_COLUMNS, type Row as SealedRow, type SealedColumn } from "./sealed/columns.ts";
export { openedValue, sealedValue } from "./sealed/moving.ts";
