import { expect, test } from 'vitest';
import { explainFailure } from '../../../server/outgoing/git-failure.ts';
import { GitExit } from '../../../server/outgoing/processes.ts';
import { runWithFewDescriptors } from '../../support/descriptors.ts';

test.each([
  ['ssh: connect to host 10.1.2.3 port 22: Connection refused', 'unreachable'],
  ["fatal: unable to access 'https://a.example/': Failed to connect to 10.1.2.3 port 443", 'unreachable'],
  [
    'ssh: connect to host 10.1.2.3 port 22: No route to host\nfatal: Could not read from remote',
    'unreachable',
  ],
  ['ada@10.1.2.3: Permission denied (publickey).', 'authentication'],
])('only logs messages of git about the network: %s', (message, code) => {
  const error = explainFailure(new GitExit(message), 'refs/heads/main', undefined);
  expect(error).toMatchObject({ code, cause: { message: message } });
  expect(String(error)).not.toMatch(/10\.1\.2\.3|Connection refused|route/);
});

test('shows messages of the remote to the caller', () => {
  const message = 'remote: This repository was archived.\nssh: connect to host 10.1.2.3';
  const error = explainFailure(new GitExit(message), 'refs/heads/main', undefined, 'push');
  expect(String(error)).toContain('Message from the server: remote: This repository was archived.');
  expect(String(error)).not.toContain('10.1.2.3');
});

test('fails if the server has no file descriptors left to start git, and does not end the server', async () => {
  expect(await runWithFewDescriptors(new URL('./git-without-descriptors.ts', import.meta.url))).toEqual({
    output: '',
    code: 'failed',
    message: 'git could not be started. Try again later, or raise the limit of open files on the server.',
    cause: 'EMFILE',
  });
});
