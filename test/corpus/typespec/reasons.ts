/** Why a side of a scenario fails. */
export interface Reason {
  router?: string;
  client?: string;
}

/** The scenarios that fail, with the reason. One that passes all the same is reported. */
export const REASONS: Readonly<Record<string, Reason>> = {};
