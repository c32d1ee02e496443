// Starts the process of a script while this process cannot open the pipes for it, and writes its failure.
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { ScriptProcess } from '../../../server/sandbox/script-process.ts';
import { occupyDescriptors } from '../../support/processes/descriptors.ts';

/** Enough for the files of the folder and for the proxy. */
const release = occupyDescriptors(6);
const options = { allow: [], ownOrigin: 'http://service.invalid', clock: () => new Date() };
const { signal } = new AbortController();
const failure = await ScriptProcess.start('/unused', Buffer.from(''), { ...options, signal }).catch(
  (error: unknown) => error,
);
release();
const { reason, cause } = failure as { reason: string; cause: { code: string } };
process.stdout.write(JSON.stringify({ reason, cause: cause.code, folders: readdirSync(tmpdir()) }));
