import type { JsonText } from '../../json.ts';

/** The space map of an organization: the spaces that links to spaces of another platform lead to. */
export interface SpaceMapsTable {
  organization: string;
  /** Pairs of the ID of a space on the other platform and the ID of a space. */
  spaces: JsonText<ReadonlyArray<readonly [former: string, space: string]>>;
  /** Increases with each change. */
  version: number;
  updatedAt: string;
}
