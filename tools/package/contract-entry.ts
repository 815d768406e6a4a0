/** The contract for browsers. `thinContract` leaves the schemas out. */
export * from "@mooring/contract";
