/** A thread that commits a translation with texts that do not fit into its heap. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../../server/database/database.ts';
import { commitOnlyRun } from './translation-commit.ts';

/** Parameters of the translation. */
export interface ThreadData {
  /** Folder of the database. */
  folder: string;
  /** Length of the translated text of each page. */
  characters: number;
}

if (parentPort) {
  // Set by the test that starts the thread.
  const { folder, characters } = workerData as ThreadData;
  const database = await openDatabase({ folder });
  await commitOnlyRun(database, (title) => Buffer.alloc(characters, `${title} `).toString('latin1'));
  await database.close();
  parentPort.postMessage('committed');
}
