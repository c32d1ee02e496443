import { Registry } from 'prom-client';
import { type Listener, listen } from '../../contract/index.ts';
import type { MetricsCollection } from './collection.ts';

/** Path of the metrics. */
export const METRICS_PATH = '/metrics';
/** Maximum number of connections of those who read metrics. */
export const MAX_METRICS_CONNECTIONS = 32;

/** An address to listen on. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** Serves metrics at `/metrics` of an address of their own, which clients of the API do not reach. */
export async function serveMetrics(
  { host, port }: ListenAddress,
  metrics: MetricsCollection,
  onError: (error: unknown) => void,
): Promise<Listener> {
  const listener = await listen(port, host, { maxConnections: MAX_METRICS_CONNECTIONS });
  listener.serve((req, res) => {
    const path = req.url?.split('?')[0];
    if (path !== METRICS_PATH || req.method !== 'GET') {
      res.writeHead(404, { 'Content-Type': 'text/plain' }).end(`Metrics are at GET ${METRICS_PATH}.\n`);
      return;
    }
    metrics.text().then(
      (text) => res.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      (error: unknown) => {
        onError(error);
        res
          .writeHead(500, { 'Content-Type': 'text/plain' })
          .end('The metrics could not be read. See the log.\n');
      },
    );
  });
  return listener;
}
