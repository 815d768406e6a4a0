/** A checked-in file that is generated from the sources. */
export interface Generated {
  /** Relative to the root. */
  readonly path: string;
  render(): string | Promise<string>;
}
