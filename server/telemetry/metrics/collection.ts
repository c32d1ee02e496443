import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import type { MetricsSnapshot } from './process-metrics.ts';

/** Metrics of the job processes of a server. */
export interface JobMetrics {
  /** Those of the running processes. */
  running: readonly unknown[];
  /** The last ones of processes that have ended since the previous call. */
  ended: readonly unknown[];
}

/** What is read when metrics are requested. */
export interface MetricSources {
  /** The metrics of the server. */
  own(): Promise<MetricsSnapshot>;
  jobs(): Promise<JobMetrics>;
  gauges: readonly GaugeSource[];
  /** Called if gauges cannot be read. They are omitted. */
  onError(error: unknown): void;
}

/** Gauges that are read together. */
export interface GaugeSource {
  gauges: readonly { name: string; help: string; labels?: readonly string[] }[];
  read(): Promise<readonly GaugeValue[]>;
}

/** A value of a gauge. */
export interface GaugeValue {
  name: string;
  value: number;
  labels?: Readonly<Record<string, string>>;
}

/** Merges the metrics of the processes of a server. */
export class MetricsCollection {
  readonly #sources: MetricSources;
  /** Sums of the counters and histograms of processes that have ended. */
  #ended: MetricsSnapshot = [];
  #running: Promise<string> | undefined;

  constructor(sources: MetricSources) {
    this.#sources = sources;
  }

  /**
   * Returns all metrics in the text format of Prometheus
   * (https://prometheus.io/docs/instrumenting/exposition_formats/). Concurrent calls share one collection.
   */
  text(): Promise<string> {
    this.#running ??= this.#collect().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #collect(): Promise<string> {
    const [own, jobs, gauges] = await Promise.all([
      this.#sources.own(),
      this.#sources.jobs(),
      this.#readGauges(),
    ]);
    // The job processes of this release send snapshots.
    const running = jobs.running as MetricsSnapshot[];
    const ended = jobs.ended as MetricsSnapshot[];
    const isSum = ({ type }: { type: unknown }) => ['counter', 'histogram'].includes(String(type));
    this.#ended = await merge([
      this.#ended,
      ...ended.map((metrics) => metrics.filter(isSum)),
    ]).getMetricsAsJSON();
    return await merge([own, ...running, this.#ended, gauges]).metrics();
  }

  async #readGauges(): Promise<MetricsSnapshot> {
    const registry = new Registry();
    await Promise.all(this.#sources.gauges.map((source) => this.#readSource(source, registry)));
    return await registry.getMetricsAsJSON();
  }

  async #readSource({ gauges, read }: GaugeSource, registry: Registry): Promise<void> {
    try {
      const values = Map.groupBy(await read(), ({ name }) => name);
      for (const { name, help, labels = [] } of gauges) {
        const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] });
        for (const { labels: labelsOfValue = {}, value } of values.get(name) ?? []) {
          gauge.set(labelsOfValue, value);
        }
      }
    } catch (error) {
      this.#sources.onError(error);
    }
  }
}

/** Merges metrics. Those of different processes differ in a label; otherwise they are added, or averaged where that is usual. */
function merge(snapshots: readonly MetricsSnapshot[]): Registry {
  const withAggregators = snapshots.map((metrics) =>
    metrics.map((metric) =>
      ['omit', 'first'].includes(metric.aggregator) ? { ...metric, aggregator: 'max' as const } : metric,
    ),
  );
  return AggregatorRegistry.aggregate(withAggregators);
}
