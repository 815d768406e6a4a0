import type { ORGANIZATION_ROUTES, ResultOf, TrashKind } from "@mooring/contract";

export type TrashItem = ResultOf<typeof ORGANIZATION_ROUTES.getTrashItem>;

interface KindWords {
  readonly title: string;
  /** What a restore brings back. */
  readonly back: string;
  /** Whether it has a slug, which a new object may have now. */
  readonly hasSlug: boolean;
}

export const KIND_WORDS: Readonly<Record<TrashKind, KindWords>> = {
  webhook: {
    title: "Webhook",
    back: "A restored webhook has its addresses, secrets, destinations and events.",
    hasSlug: false,
  },
  image: {
    title: "Image",
    back: "A restored image has its tags, its platforms, and its signatures.",
    hasSlug: false,
  },
  repository: {
    title: "Repository",
    back: "A restored repository has all its tags and images, beside newer ones.",
    hasSlug: false,
  },
  app: {
    title: "App",
    back: "A restored app has its bucket with all objects, and its repository with all images.",
    hasSlug: true,
  },
  project: {
    title: "Project",
    back: "A restored project has everything that was in it. Its credentials and S3 keys work as before.",
    hasSlug: true,
  },
};
