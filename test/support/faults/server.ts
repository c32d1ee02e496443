// The server as `npm start` runs it, with jobs that end their process, shorter timeouts and less memory.
import { readConfig } from '../../../server/app/config.ts';
import { createLog } from '../../../server/app/log.ts';
import { type ForkedJobs, forkedBackground } from '../../../server/process/background.ts';
import { programParts } from '../../../server/process/parts.ts';
import { start } from '../../../server/process/start.ts';

const config = readConfig(process.env);
const log = createLog(config);
const environment = process.env;
const jobs: ForkedJobs = {
  environment,
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
};
const running = await start(config, log, console.log, {
  ...programParts(environment),
  createBackground: (options, server) => forkedBackground(options, jobs, server),
});
process.on('SIGTERM', () => void running.stop());
