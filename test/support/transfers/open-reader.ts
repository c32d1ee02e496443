import { readConfig } from '../../../server/app/config.ts';
import { openResourceReader } from '../../../server/app/resource-reader.ts';
import type { ExportOptions } from '../../../server/platform/transfers/export/export.ts';
import { SECRET_KEY } from '../environment.ts';

/** Returns what opens the reader of an export, with the variables of the command, whose defaults apply. */
export const openReaderWith =
  (variables: NodeJS.ProcessEnv = {}): ExportOptions['openReader'] =>
  (database, organization) =>
    openResourceReader(readConfig({ COLOPHON_SECRET_KEY: SECRET_KEY, ...variables }), database, organization);
