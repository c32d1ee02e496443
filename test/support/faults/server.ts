// The server as `npm start` runs it, with jobs that end their process, shorter timeouts and less memory.
import { readConfig } from '../../../server/app/config.ts';
import { createLog } from '../../../server/app/log.ts';
import { start } from '../../../server/process/start.ts';

const config = readConfig(process.env);
const log = createLog(config);
const running = await start(config, log, console.log, {
  environment: process.env,
  program: {
    entry: new URL('./jobs-main.ts', import.meta.url),
    heapMB: 128,
    buffersMB: 128,
    unresponsiveMs: 3000,
    pingMs: 100,
  },
  // With a gate for the successors, the job process is replaced as soon as it is idle.
  ...(process.env.START_GATE && {
    replacement: { idleMs: 1, growthBytes: Number.NEGATIVE_INFINITY, delayMs: 0 },
  }),
});
process.on('SIGTERM', () => void running.stop());
