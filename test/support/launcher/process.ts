import { type SpawnOptions, spawn } from 'node:child_process';
import { createReadStream, openSync, rmSync, writeSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { LaunchReply, LaunchRequest } from './protocol.ts';

/*
 * Starts programs for a test worker: see `launcher.ts`. The worker connects once for the ends of programs, and three
 * times for each program: its standard input, output and error.
 */

const [address = '', requestPipe = '', replyPipe = ''] = process.argv.slice(2);
const connections: Socket[] = [];
let accepted = Promise.withResolvers<void>();

/** Returns the next connections, in the order the worker created them. */
async function takeConnections(count: number): Promise<Socket[]> {
  while (connections.length < count) {
    await accepted.promise;
  }
  return connections.splice(0, count);
}

// Connections are not read here, but by the programs.
const server = createServer({ pauseOnConnect: true }, (connection) => {
  connections.push(connection);
  accepted.resolve();
  accepted = Promise.withResolvers();
});
server.listen(address, async () => {
  const replies = openSync(replyPipe, 'w');
  const reply = (message: LaunchReply) => writeSync(replies, `${JSON.stringify(message)}\n`);
  reply({});
  const [ends] = await takeConnections(1);
  // It ends with the worker, which closes the pipe.
  for await (const line of createInterface(createReadStream(requestPipe))) {
    // Written by `launcher.ts`.
    const { id, command, parameters, ...options } = JSON.parse(line) as LaunchRequest;
    const stdio: SpawnOptions['stdio'] = await takeConnections(3);
    const child = spawn(command, parameters, { ...options, stdio });
    child.on('exit', (code, signal) => ends?.write(`${JSON.stringify({ id, code, signal })}\n`));
    if (child.pid === undefined) {
      child.on('error', ({ message, ...error }) => reply({ error: { message, ...error } }));
    } else {
      reply({ pid: child.pid });
    }
    for (const connection of stdio as Socket[]) {
      connection.destroy();
    }
  }
  rmSync(dirname(address), { recursive: true });
  process.exit();
});
