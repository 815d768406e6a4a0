import Type, { type TSchema } from "typebox";
import { RESOURCES_MAX } from "../resources.ts";
import { Id, closed, nullable } from "./shapes.ts";

const Entries = <T extends TSchema>(item: T) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: RESOURCES_MAX, uniqueItems: true }));

export const BucketResources = Entries(
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 64, description: "the bucket, or the identifier of its app" }),
      prefix: Type.Optional(
        Type.String({ maxLength: 1024, description: "reaches only object keys that begin with this" }),
      ),
    },
    closed,
  ),
);

const Services = Entries(Type.String({ minLength: 1, maxLength: 256, description: "a service of telemetry" }));

/** The description of every list of resources. */
const RESOURCES =
  "the only resources that it reaches, up to 100; null: no limit. It is closed: a kind that is not named gives nothing, and scopes without such a resource are refused";

export const Resources = nullable(
  Type.Object(
    {
      repositories: Entries(
        Type.String({ minLength: 1, maxLength: 64, description: "the slug or identifier of an app" }),
      ),
      buckets: BucketResources,
      webhooks: Entries(Id),
      services: Services,
    },
    { ...closed, minProperties: 1, description: RESOURCES },
  ),
);

/** The resources of an S3 key. */
export const KeyResources = nullable(
  Type.Object({ buckets: BucketResources }, { ...closed, minProperties: 1, description: RESOURCES }),
);

/** The resources of an ingest key. */
export const ServiceResources = nullable(
  Type.Object({ services: Services }, { ...closed, minProperties: 1, description: RESOURCES }),
);
