import Type, { type TInteger } from "typebox";

const whole = (minimum: number, maximum: number): TInteger => Type.Integer({ minimum, maximum });

const DAY_MS = 86_400_000;
const GIB = 1024 ** 3;

export const REGISTRY_SETTINGS = {
  registry_blob_bytes_max: {
    schema: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    default: 50 * GIB,
    description: "maximum bytes of one blob of a container image",
  },
  registry_stored_bytes_max: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description:
      "bytes of container images that an organization may store; equal content counts once; `mooring quota` sets it for one organization",
  },
  registry_push_bytes_per_second: {
    schema: whole(0, Number.MAX_SAFE_INTEGER),
    default: 100 * 1024 ** 2,
    description:
      "total rate of image uploads while the server answers ten or more other requests per second; at other times, and with 0, there is no limit",
  },
  registry_upload_lifetime_s: {
    schema: whole(1, 2_592_000),
    default: 86_400,
    description: "seconds after its last byte in which an upload of a blob can be continued",
  },
  registry_lease_ms: {
    schema: whole(100, 365 * DAY_MS),
    default: DAY_MS,
    description: "how long a blob that no manifest needs is kept after it was last pushed or requested",
  },
  registry_collect_ms: {
    schema: whole(100, DAY_MS),
    default: 600_000,
    description: "how often the server looks for blobs and manifests that nothing needs",
  },
} as const;
