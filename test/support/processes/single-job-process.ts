// A job process that runs one job, with a failure hook and resources that fail, for tests of its program.
import { appendFileSync } from 'node:fs';
import { runSingleJob } from '../../../server/jobs/host.ts';
import { jobKind } from '../../../server/jobs/queue.ts';
import { Workers } from '../../../server/jobs/workers.ts';

const performer = new Workers();
performer.register(
  jobKind<{ isFailing: boolean }>('single'),
  async ({ payload }) => {
    if (payload.isFailing) {
      throw new Error('The job failed.');
    }
  },
  async () => {
    throw new Error('The failure hook failed.');
  },
);
const close = async () => {
  throw new Error('Closing failed.');
};
const log = {
  debug() {},
  info() {},
  warn() {},
  error(_details: object, message: string) {
    appendFileSync(process.env.LOG_FILE ?? '', `${message}\n`);
  },
};
process.on('disconnect', () => process.exit(1));
runSingleJob({ queue: { performer }, log, close });
