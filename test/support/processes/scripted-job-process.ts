// A job process without a queue, for tests of its supervisor. It behaves as the file `state.json` of its folder states,
// and appends the messages that it receives to `events.jsonl`.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ToChild, ToServer } from '../../../server/jobs/messages.ts';

/** What the processes of a folder report, and how they behave. */
export interface ScriptedState {
  residentBytes: number;
  idleMs?: number;
  /** Whether a process that starts fails, or waits until this changes. */
  start?: 'fail' | 'wait';
  /** Minimum grace period for a stopping process to continue running. */
  runsForMs?: number;
}

/** A start of a process, or a message that it received. */
export interface ScriptedEvent {
  owner: string;
  pid: number;
  type: 'start' | ToChild['type'];
  graceMs?: number;
}

const [, owner = ''] = process.argv.slice(2);
const folder = process.env.SCRIPT_FOLDER ?? '';
// The test writes this type.
const state = () => JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as ScriptedState;
const record = (event: Pick<ScriptedEvent, 'type' | 'graceMs'>) => {
  const line = { owner, pid: process.pid, ...event } satisfies ScriptedEvent;
  appendFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(line)}\n`);
};
const send = (message: ToServer) => process.send?.(message);

process.on('disconnect', () => process.exit(1));
record({ type: 'start' });
while (state().start === 'wait') {
  await delay(5);
}
if (state().start === 'fail') {
  process.exit(1);
}
process.on('message', (message: ToChild) => {
  const { idleMs, residentBytes, runsForMs = Number.POSITIVE_INFINITY } = state();
  record(message.type === 'stop' ? message : { type: message.type });
  if (message.type === 'ping') {
    send({ type: 'pong', bufferBytes: 0, residentBytes, idleMs });
  }
  if (message.type === 'stop' && message.graceMs < runsForMs) {
    process.exit(0);
  }
});
send({ type: 'ready', kinds: [], residentBytes: state().residentBytes });
