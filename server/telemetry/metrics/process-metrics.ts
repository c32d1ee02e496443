import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { EndedRequest } from '../../contract/index.ts';
import { createInstruments, type Instruments } from './instruments.ts';
import { observeChannels } from './observe.ts';

/** The metrics of a process with their current values, as plain data. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

/** Interval at which the delay of the event loop is measured. */
const LOOP_DELAY_PRECISION_MS = 20;

/** Counts what this process does. Its metrics have the label `process`. */
export class ProcessMetrics {
  readonly registry = new Registry();
  readonly #instruments: Instruments;
  readonly #stop: () => void;

  /** @param process name of the process, such as `server` */
  constructor(process: string) {
    this.registry.setDefaultLabels({ process });
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LOOP_DELAY_PRECISION_MS });
    this.#instruments = createInstruments(this.registry);
    this.#stop = observeChannels(this.#instruments);
  }

  /** Counts a request. */
  readonly recordRequest = ({
    operationId,
    status,
    reason,
    milliseconds,
    isComplete,
  }: EndedRequest): void => {
    const { requests, requestDuration, rejectedRequests } = this.#instruments;
    const operation = operationId ?? 'none';
    requests.count(operation, isComplete ? status : 0);
    requestDuration.add(milliseconds / 1000, operation);
    if (reason !== undefined) {
      rejectedRequests.inc({ reason });
    }
  };

  /** Returns the current values. */
  async snapshot(): Promise<MetricsSnapshot> {
    return await this.registry.getMetricsAsJSON();
  }

  /** Ends the counting. */
  stop(): void {
    this.#stop();
    this.registry.clear();
  }
}
