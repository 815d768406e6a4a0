export { requireRoom } from "./room.ts";
