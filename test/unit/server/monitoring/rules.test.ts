import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { GAUGES } from '../../../../server/process/metrics.ts';
import { ProcessMetrics } from '../../../../server/telemetry/metrics/process-metrics.ts';

// The dashboard and the alert rules use only metrics that exist, with labels that they have.

const folder = join(import.meta.dirname, '../../../../server/monitoring');

/** Labels that Prometheus adds to each series. */
const ADDED_LABELS = ['instance', 'job'];
/** Metrics of Prometheus. */
const OF_PROMETHEUS = new Map([['up', ADDED_LABELS]]);

/** The labels of each series of the server. */
const served = labelsOfServer();

function labelsOfServer(): Map<string, readonly string[]> {
  const metrics = new ProcessMetrics('server');
  const counted = metrics.registry.getMetricsAsArray().flatMap((metric) => {
    // Only declared in the types of metrics that are created with them.
    const { labelNames } = metric as { labelNames?: readonly string[] };
    const labels = [...(labelNames ?? []), 'process', ...ADDED_LABELS];
    return String(metric.type) === 'histogram'
      ? ['_bucket', '_sum', '_count'].map(
          (part) => [metric.name + part, part === '_bucket' ? [...labels, 'le'] : labels] as const,
        )
      : [[metric.name, labels] as const];
  });
  metrics.stop();
  const gauges = GAUGES.map(({ name, labels = [] }) => [name, [...labels, ...ADDED_LABELS]] as const);
  return new Map([...OF_PROMETHEUS, ...counted, ...gauges]);
}

/** Lists the errors of an expression in PromQL. */
function errorsOf(expression: string): string[] {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const names: string[] = [];
  const labels: string[] = [];
  const errors: string[] = [];
  parser.parse(text).iterate({
    enter: ({ name, type, from, to }) => {
      const part = text.slice(from, to);
      if (type.isError) {
        errors.push(`${text}: a syntax error at ${from}`);
      }
      if (name === 'Identifier') {
        names.push(part);
      }
      if (name === 'LabelName') {
        labels.push(part);
      }
    },
  });
  if (names.length === 0) {
    errors.push(`${text}: no metric`);
  }
  const known = names.flatMap((name) => served.get(name) ?? []);
  return [
    ...errors,
    ...names.filter((name) => !served.has(name)).map((name) => `${text}: unknown metric ${name}`),
    ...labels.filter((label) => !known.includes(label)).map((label) => `${text}: unknown label ${label}`),
  ];
}

test('an expression with an unknown metric, an unknown label or a syntax error is reported', () => {
  expect(errorsOf('sum by (operation) (rate(colophon_requests_total[5m]))')).toEqual([]);
  expect(errorsOf('colophon_none')).toEqual(['colophon_none: unknown metric colophon_none']);
  expect(errorsOf('up{color="red"}')).toEqual(['up{color="red"}: unknown label color']);
  expect(errorsOf('sum(up')).not.toEqual([]);
});

test('the dashboard uses metrics that exist', async () => {
  const dashboard: Dashboard = JSON.parse(await readFile(join(folder, 'grafana-dashboard.json'), 'utf8'));
  const charts = dashboard.panels.filter(({ type }) => type !== 'row');
  expect(charts.length).toBeGreaterThan(20);
  expect(charts.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => errorsOf(expr)))).toEqual([]);
  const shown = JSON.stringify(dashboard);
  expect([...served.keys()].filter((name) => isOwn(name) && !shown.includes(base(name)))).toEqual([]);
});

test('the alert rules use metrics that exist, and state what to do', async () => {
  const { groups }: AlertRules = parse(await readFile(join(folder, 'prometheus-alerts.yaml'), 'utf8'));
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(8);
  expect(rules.flatMap(({ expr }) => errorsOf(expr))).toEqual([]);
  expect(rules.filter(({ annotations }) => !annotations.summary || !annotations.action)).toEqual([]);
});

test('the documentation lists each metric of the server once', async () => {
  const page = await readFile(join(folder, 'README.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(colophon_\w+)`/gm)].map(([, name]) => name);
  const own = new Set([...served.keys()].filter(isOwn).map(base));
  expect(listed.sort()).toEqual([...own].sort());
});

const isOwn = (name: string): boolean => name.startsWith('colophon_');
/** The name of the metric of a series. */
const base = (name: string): string => name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds');

interface Dashboard {
  panels: { type: string; targets?: { expr: string }[] }[];
}

interface AlertRules {
  groups: { rules: { expr: string; annotations: { summary?: string; action?: string } }[] }[];
}
