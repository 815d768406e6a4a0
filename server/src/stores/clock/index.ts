export { ClockGuard, type ClockGuardOptions, type ClockState } from "./guard.ts";
export { systemRealTime, type RealTime } from "./real-time.ts";
export { leaveAcceptance } from "./state.ts";
