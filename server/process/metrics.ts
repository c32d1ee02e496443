import { hostAndPort } from '../contract/request/address.ts';
import { readQueueDepths } from '../jobs/depths.ts';
import { type NearQuota, readNearQuotas } from '../platform/accounts/quotas/queries.ts';
import { readDeliveryDepth } from '../platform/integrations/events/queries.ts';
import type { Services } from '../platform/kit/slice.ts';
import { type GaugeSource, type GaugeValue, MetricsCollection } from '../telemetry/metrics/collection.ts';
import { type ListenAddress, METRICS_PATH, serveMetrics } from '../telemetry/metrics/endpoint.ts';
import { ProcessMetrics } from '../telemetry/metrics/process-metrics.ts';
import { programGauges } from '../telemetry/metrics/programs.ts';
import type { Background } from './background.ts';

/** Maximum time that job processes have to send their metrics. */
export const JOB_METRICS_TIMEOUT_MS = 2000;

/** Time for which the numbers of organizations near their quotas are cached. */
export const NEAR_QUOTA_AGE_MS = 60_000;

/** The metrics of a server, while they are served. */
export interface ServedMetrics {
  url: string;
  /** Counts a request that has ended. */
  recordRequest: ProcessMetrics['recordRequest'];
  stop(): Promise<void>;
}

/**
 * Counts what the server does, and serves it together with what its job processes count.
 *
 * @throws Error if the address cannot be used
 */
export async function startMetrics(
  address: ListenAddress,
  { database, clock, quotas, log }: Pick<Services, 'database' | 'clock' | 'quotas' | 'log'>,
  background: Background,
): Promise<ServedMetrics> {
  const metrics = new ProcessMetrics('server');
  const collection = new MetricsCollection({
    own: () => metrics.snapshot(),
    jobs: () => background.metrics(JOB_METRICS_TIMEOUT_MS),
    onError: (err) => log.warn({ err }, 'some metrics could not be read'),
    gauges: [
      programGauges,
      connectionGauges(database),
      queueGauges({ database, clock }),
      quotaGauges({ database, clock, quotas }),
    ],
  });
  const listener = await serveMetrics(address, collection, (err) =>
    log.error({ err }, 'the metrics could not be read'),
  ).catch((cause: unknown) => {
    metrics.stop();
    const { host, port } = address;
    throw new Error(
      `COLOPHON_METRICS_ADDRESS ${hostAndPort(host, port)} cannot be used. Set it to a free address of this machine.`,
      { cause },
    );
  });
  return {
    url: `http://${hostAndPort(address.host, listener.port)}${METRICS_PATH}`,
    recordRequest: metrics.recordRequest,
    stop: async () => {
      await listener.close(0);
      metrics.stop();
    },
  };
}

const CONNECTION_GAUGES: GaugeSource['gauges'] = [
  { name: 'colophon_database_connections', help: 'Connections of the server to its database.' },
  { name: 'colophon_database_calls_waiting', help: 'Calls that wait for a connection, or to write.' },
  {
    name: 'colophon_database_reads',
    help: 'Reads outside transactions since the start, by where they were executed, with replicas.',
    labels: ['place'],
  },
];

const QUEUE_GAUGES: GaugeSource['gauges'] = [
  { name: 'colophon_jobs_queued', help: 'Jobs that wait, by kind.', labels: ['kind'] },
  {
    name: 'colophon_job_overdue_seconds',
    help: 'Time since the first waiting job of a kind was due.',
    labels: ['kind'],
  },
  { name: 'colophon_event_streams_waiting', help: 'Installations with events to deliver.' },
  { name: 'colophon_event_overdue_seconds', help: 'Time since the first event to deliver was due.' },
];

const QUOTA_GAUGES: GaugeSource['gauges'] = [
  {
    name: 'colophon_organizations_near_quota',
    help: 'Organizations that use at least 90 % of a quota, up to 10,000, by quota.',
    labels: ['quota'],
  },
  {
    name: 'colophon_organizations_at_quota',
    help: 'Organizations that use a quota completely, up to 10,000, by quota.',
    labels: ['quota'],
  },
];

/** All gauges that are read when metrics are requested. */
export const GAUGES = [...programGauges.gauges, ...CONNECTION_GAUGES, ...QUEUE_GAUGES, ...QUOTA_GAUGES];

const connectionGauges = (database: Pick<Services['database'], 'load'>): GaugeSource => ({
  gauges: CONNECTION_GAUGES,
  read: async () => {
    const { connections, waiting, reads } = database.load();
    return [
      { name: 'colophon_database_connections', value: connections },
      { name: 'colophon_database_calls_waiting', value: waiting },
      ...Object.entries(reads ?? {}).map(([place, value]) => ({
        name: 'colophon_database_reads',
        labels: { place },
        value,
      })),
    ];
  },
});

/** The queues of the database, which all its servers share. */
const queueGauges = ({ database, clock }: Pick<Services, 'database' | 'clock'>): GaugeSource => ({
  gauges: QUEUE_GAUGES,
  read: async () => {
    const overdueSeconds = (dueAt: string | null) =>
      dueAt === null ? 0 : Math.max(0, (clock().getTime() - Date.parse(dueAt)) / 1000);
    const events = await readDeliveryDepth(database.query);
    const jobs = await readQueueDepths(database.query);
    return [
      { name: 'colophon_event_streams_waiting', value: events.count },
      { name: 'colophon_event_overdue_seconds', value: overdueSeconds(events.firstDueAt) },
      ...jobs.flatMap(({ kind, count, firstDueAt }): GaugeValue[] => [
        { name: 'colophon_jobs_queued', labels: { kind }, value: count },
        { name: 'colophon_job_overdue_seconds', labels: { kind }, value: overdueSeconds(firstDueAt) },
      ]),
    ];
  },
});

/** The organizations near their quotas. Without quotas, nothing is read. */
export function quotaGauges({
  database,
  clock,
  quotas,
}: Pick<Services, 'database' | 'clock' | 'quotas'>): GaugeSource {
  let cached: { at: number; near: NearQuota[] } | undefined;
  return {
    gauges: QUOTA_GAUGES,
    read: async () => {
      const now = clock().getTime();
      if (!cached || now - cached.at >= NEAR_QUOTA_AGE_MS) {
        cached = { at: now, near: await readNearQuotas(database.query, quotas) };
      }
      return cached.near.flatMap(({ quota, near, full }) => [
        { name: 'colophon_organizations_near_quota', labels: { quota }, value: near },
        { name: 'colophon_organizations_at_quota', labels: { quota }, value: full },
      ]);
    },
  };
}
