/** The page's state in its address. */
export type AlertsSearch = {
  alert?: string | undefined;
  tab?: string | undefined;
  /** The form for a new one is open; a saved query's id puts that in. */
  new?: string | undefined;
};
