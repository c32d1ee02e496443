import { readConfig } from '../../../server/app/config.ts';
import { openResourceReader } from '../../../server/app/resource-reader.ts';
import type { ExportOptions } from '../../../server/platform/transfers/export/export.ts';
import { SECRET_KEY } from '../environment.ts';

/**
 * Returns what opens the reader of an export.
 *
 * @param publicURL URL of the server; undefined for that of the defaults
 */
export const openReaderAt =
  (publicURL?: string): ExportOptions['openReader'] =>
  (database, organization) => {
    const config = readConfig({
      COLOPHON_SECRET_KEY: SECRET_KEY,
      ...(publicURL !== undefined && { COLOPHON_PUBLIC_URL: publicURL }),
    });
    return openResourceReader(config, database, organization);
  };
