export {
  createDestination,
  deleteDestination,
  destinationVersion,
  findDestination,
  listDeliveries,
  listDestinations,
  replayEvent,
  replayTo,
  rotateDestinationSecret,
  updateDestination,
  type DestinationInput,
  type Replay,
} from "./destinations.ts";
export { destinationSettings, type DeliveryRow, type DestinationRow, type ForwardingDeps } from "./model.ts";
export { forwardingHandler, type RunDeps } from "./run.ts";
export { Waker } from "./waker.ts";
