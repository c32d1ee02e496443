import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { GIT_LIMITS } from '../../../server/outgoing/git/git.ts';
import { explainFailure } from '../../../server/outgoing/git/git-failure.ts';
import { exceededLimit, GIT_PROCESS_LIMITS } from '../../../server/outgoing/process-limits.ts';
import { GitExit, startGit } from '../../../server/outgoing/processes.ts';
import { runWithFewDescriptors } from '../../support/processes/descriptors.ts';

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

test.each([
  ['fatal: Out of memory, malloc failed (tried to allocate 17179869184 bytes)', null, 'too-large'],
  ['error: git-remote-http died of signal 25\nfatal: the remote end hung up', null, 'too-large'],
  ['fatal: mmap failed: Cannot allocate memory', null, 'too-large'],
  ['', 'SIGXFSZ', 'too-large'],
  ['error: index-pack died of signal 24\nfatal: fetch-pack: invalid index-pack output', null, 'timeout'],
  ['', 'SIGXCPU', 'timeout'],
] as const)('recognizes a limit of the system: %s %s', (stderr, signal, code) => {
  expect(exceededLimit({ stderr, signal, dataBytes: 1_048_576 })).toMatchObject({
    code,
    message: expect.stringMatching(/^git exceeded its .*Use a repository with/s),
  });
});

test.each([
  'remote: fatal: Out of memory, malloc failed',
  'fatal: remote error: out of memory',
  'fatal: early EOF',
])('does not blame a limit of this machine for a failure of the remote: %s', (stderr) => {
  expect(exceededLimit({ stderr, signal: null, dataBytes: 1_048_576 })).toBeUndefined();
});

test('reports that git is not installed', async () => {
  const { dataBytes, milliseconds } = GIT_LIMITS;
  const environment = { PATH: '/nonexistent' };
  await expect(startGit(['--version'], { environment, milliseconds, dataBytes }).done).rejects.toMatchObject({
    code: 'failed',
    message: 'git could not be started. Install git 2.39 or later on the server.',
  });
});

test.runIf(process.platform === 'linux')('runs under all limits, which its helpers inherit', async () => {
  const { milliseconds } = GIT_LIMITS;
  const { addressBytes, processorMs, descriptors, fileBytes } = GIT_PROCESS_LIMITS;
  // An alias with an exclamation mark is a command of a shell.
  const helper = ['-c', 'alias.limits=!cat /proc/self/limits', 'limits'];
  const environment = { PATH: process.env.PATH ?? '' };
  const git = startGit(helper, { environment, milliseconds, dataBytes: 134_217_728 });
  git.stdin.end();
  const output = await text(git.stdout);
  await git.done;
  const softLimits = Object.fromEntries(
    [...output.matchAll(/^Max (.*?) {2,}(\d+)/gm)].map(([, name, value]) => [name, Number(value)]),
  );
  expect(softLimits).toMatchObject({
    'data size': 134_217_728,
    'address space': addressBytes,
    'cpu time': processorMs / 1000,
    'open files': descriptors,
    'file size': fileBytes,
    'core file size': 0,
  });
});
