export {
  createDestination,
  deleteDestination,
  destinationVersion,
  findDestination,
  forwardAgain,
  listDeliveries,
  listDestinations,
  rotateDestinationSecret,
  updateDestination,
  type DestinationInput,
} from "./destinations.ts";
export { destinationSettings, type DeliveryRow, type DestinationRow, type ForwardingDeps } from "./model.ts";
export { forwardingHandler, type RunDeps } from "./run.ts";
export { countFailedDestinations } from "./store.ts";
export { replayEvent, replayTo, type Replay } from "./replay.ts";
export { Waker } from "./waker.ts";
