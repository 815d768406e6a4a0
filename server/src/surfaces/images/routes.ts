import type { FastifyInstance } from "fastify";
import { REGISTRY_API_ROUTES as rows } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { ImagesSurfaceDeps } from "./deps.ts";
import { deleteImageManifest } from "./operations/delete-image-manifest.ts";
import { emptyImageRepository } from "./operations/empty-image-repository.ts";
import { getImageManifest } from "./operations/get-image-manifest.ts";
import { getImageRepository } from "./operations/get-image-repository.ts";
import { listImageRepositories } from "./operations/list-image-repositories.ts";
import { listImageTags } from "./operations/list-image-tags.ts";
import { runImageRetention } from "./operations/run-image-retention.ts";
import { updateImageRepository } from "./operations/update-image-repository.ts";

/** Row → operation. Method, path and permission of each stand in the contract's row. */
export function mountImages(app: FastifyInstance, deps: ImagesSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, rows.listImageRepositories, listImageRepositories(deps));
  mountRoute(app, host, rows.getImageRepository, getImageRepository(deps));
  mountRoute(app, host, rows.updateImageRepository, updateImageRepository(deps));
  mountRoute(app, host, rows.emptyImageRepository, emptyImageRepository(deps));
  mountRoute(app, host, rows.listImageTags, listImageTags(deps));
  mountRoute(app, host, rows.getImageManifest, getImageManifest(deps));
  mountRoute(app, host, rows.deleteImageManifest, deleteImageManifest(deps));
  mountRoute(app, host, rows.runImageRetention, runImageRetention(deps));
}
