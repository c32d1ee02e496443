import { type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { createId } from '../../../server/database/seams.ts';
import { createQueue, jobKind } from '../../../server/jobs/queue.ts';

// A process that takes a job, reports it and never ends it: jobs-processes.test.ts kills it.
// The test passes the location that it opened.
const location = JSON.parse(process.argv[2] ?? '') as DatabaseLocation;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const database = await openDatabase(location);
const queue = createQueue({ database, clock: () => new Date(), createId, log, lease: 1500 });
queue.register(jobKind('crash'), () => {
  process.stdout.write('started');
  return new Promise(() => {});
});
queue.start();
