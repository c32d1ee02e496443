import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { cacheLookups } from '../../diagnostics/caches.ts';
import { QuickCounter, QuickHistogram } from './quick.ts';

/** Upper bounds of durations, in seconds. */
const BUCKETS = {
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  statement: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  task: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  job: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900],
};

/** The metrics of a process. */
export type Instruments = ReturnType<typeof createInstruments>;

/** Creates the metrics that every process counts, in a registry. */
export function createInstruments(registry: Registry) {
  const registers = [registry];
  return {
    requests: new QuickCounter({
      name: 'colophon_requests_total',
      help: 'Requests that have ended, by operation and status. Status 0: the caller closed the connection.',
      labels: ['operation', 'status'],
      registers,
    }),
    requestDuration: new QuickHistogram({
      name: 'colophon_request_duration_seconds',
      help: 'Time between the arrival of a request and the end of its response, by operation.',
      label: 'operation',
      buckets: BUCKETS.request,
      registers,
    }),
    rejectedRequests: new Counter({
      name: 'colophon_requests_rejected_total',
      help: 'Requests that ended with an error, by its reason.',
      labelNames: ['reason'],
      registers,
    }),
    statementDuration: new QuickHistogram({
      name: 'colophon_statement_duration_seconds',
      help: 'Time of statements of the database, including the wait for a connection.',
      buckets: BUCKETS.statement,
      registers,
    }),
    failedStatements: new Counter({
      name: 'colophon_statements_failed_total',
      help: 'Statements of the database that failed.',
      registers,
    }),
    conflicts: new Counter({
      name: 'colophon_transaction_conflicts_total',
      help: 'Transactions that conflicted with another one and ran again.',
      registers,
    }),
    jobs: new Counter({
      name: 'colophon_job_attempts_total',
      help: 'Attempts of background jobs, by kind and outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    jobDuration: new Histogram({
      name: 'colophon_job_duration_seconds',
      help: 'Time of attempts of background jobs, by kind.',
      labelNames: ['kind'],
      buckets: BUCKETS.job,
      registers,
    }),
    deliveries: new Counter({
      name: 'colophon_event_deliveries_total',
      help: 'Attempts to deliver events to integrations, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    deliveryDuration: new Histogram({
      name: 'colophon_event_delivery_duration_seconds',
      help: 'Time of attempts to deliver events to integrations.',
      buckets: BUCKETS.request,
      registers,
    }),
    integrationCalls: new Counter({
      name: 'colophon_integration_calls_total',
      help: 'Calls of integrations, by type of event and outcome.',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    integrationCallDuration: new Histogram({
      name: 'colophon_integration_call_duration_seconds',
      help: 'Time of calls of integrations.',
      buckets: BUCKETS.request,
      registers,
    }),
    outgoingRequests: new Counter({
      name: 'colophon_outgoing_requests_total',
      help: 'HTTP requests to other servers, by outcome: the class of the status, such as 2xx, or error.',
      labelNames: ['outcome'],
      registers,
    }),
    outgoingRequestDuration: new Histogram({
      name: 'colophon_outgoing_request_duration_seconds',
      help: 'Time of HTTP requests to other servers.',
      buckets: BUCKETS.request,
      registers,
    }),
    gitRuns: new Counter({
      name: 'colophon_git_runs_total',
      help: 'Runs of the Git program, by command and outcome.',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    gitDuration: new Histogram({
      name: 'colophon_git_run_duration_seconds',
      help: 'Time of runs of the Git program.',
      buckets: BUCKETS.job,
      registers,
    }),
    tasks: new Counter({
      name: 'colophon_tasks_total',
      help: 'Tasks of worker threads, by task and outcome.',
      labelNames: ['task', 'outcome'],
      registers,
    }),
    taskDuration: new Histogram({
      name: 'colophon_task_duration_seconds',
      help: 'Time of tasks of worker threads, including their wait, by task.',
      labelNames: ['task'],
      buckets: BUCKETS.task,
      registers,
    }),
    taskWait: new Histogram({
      name: 'colophon_task_wait_seconds',
      help: 'Time that tasks waited for a worker thread.',
      buckets: BUCKETS.task,
      registers,
    }),
    runningTasks: new Gauge({
      name: 'colophon_tasks_in_progress',
      help: 'Tasks that run in worker threads or wait for one.',
      registers,
    }),
    threads: new Gauge({ name: 'colophon_threads', help: 'Worker threads.', registers }),
    cacheLookups: new Counter({
      name: 'colophon_cache_lookups_total',
      help: 'Lookups in caches, by cache and result.',
      labelNames: ['cache', 'result'],
      registers,
      collect() {
        this.reset();
        for (const [cache, { hits, misses }] of cacheLookups()) {
          this.inc({ cache, result: 'hit' }, hits);
          this.inc({ cache, result: 'miss' }, misses);
        }
      },
    }),
  };
}
