// Starts git while this process cannot open files, and writes its failure.
import { text } from 'node:stream/consumers';
import { startGit } from '../../../server/outgoing/processes.ts';
import { occupyDescriptors } from '../../support/processes/descriptors.ts';

const release = occupyDescriptors(0);
const git = startGit(['cat-file', '--batch'], {
  environment: {},
  milliseconds: 600_000,
  dataBytes: 1_048_576,
});
release();
git.stdin.end('HEAD\n');
const output = await text(git.stdout);
const failure = await git.done.catch((error: unknown) => error);
const { code, message, cause } = failure as { code: string; message: string; cause: { code: string } };
process.stdout.write(JSON.stringify({ output, code, message, cause: cause.code }));
