import childProcess, { type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { createRestartCommand } from '../../../../spec/toolchain/conform/wire/restart-command.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  syncBuiltinESMExports();
});

/** Replaces the next process by one that emits only what a test emits. */
function nextProcess(pid: number | undefined, event: 'spawn' | 'error') {
  const child = Object.assign(new EventEmitter(), { pid, exitCode: null, signalCode: null, kill: vi.fn() });
  vi.spyOn(childProcess, 'spawn').mockImplementation(() => {
    queueMicrotask(() => child.emit(event, new Error('spawn EAGAIN')));
    // The command uses only these members.
    return child as unknown as ChildProcess;
  });
  syncBuiltinESMExports();
  return child;
}

test('sends no signal if the command did not start', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  nextProcess(undefined, 'error');
  const command = createRestartCommand('start');
  await expect(command.restart()).rejects.toThrow('spawn EAGAIN');
  await command.stop();
  expect(kill).not.toHaveBeenCalled();
});

test('does not wait forever for a process that cannot be ended', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  nextProcess(7, 'spawn');
  const command = createRestartCommand('start', 10);
  await command.restart();
  await command.stop();
  expect(kill.mock.calls).toEqual([
    [-7, 'SIGTERM'],
    [-7, 'SIGKILL'],
  ]);
});

test('ends the process on Windows, which has no process groups', async () => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));
  const child = nextProcess(7, 'spawn');
  child.kill.mockImplementation(() => child.emit('exit', 1, null));
  const command = createRestartCommand('start');
  await command.restart();
  await command.stop();
  expect(child.kill.mock.calls).toEqual([['SIGTERM']]);
});
