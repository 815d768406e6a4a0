/** How far an export or an import is, in contents and telemetry files. */
export interface MoveProgress {
  readonly done: number;
  readonly total: number;
  readonly bytes: number;
}
