// Runs on one engine: what is traced does not depend on it.
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { type Client, createClient, ok } from '../../../client/platform/index.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { type CollectedSpan, startTraceCollector } from '../../support/http/trace-collector.ts';
import { develop } from '../../support/integrations/event-receiver.ts';
import { startReceiver } from '../../support/integrations/integration-receiver.ts';
import { install, publish } from '../../support/integrations/integrations.ts';
import { useTestPrograms } from '../../support/processes/program.ts';

const programs = useTestPrograms({ shared: true });
const WAIT = { timeout: 60_000, interval: 100 };

/** Traces that clients began. */
const TRACES = {
  import: '0af7651916cd43dd8448eb211c80319c',
  event: '1bf7651916cd43dd8448eb211c80319c',
  search: '2cf7651916cd43dd8448eb211c80319c',
  isolated: '3df7651916cd43dd8448eb211c80319c',
};
const CLIENT_SPAN = 'b7ad6b7169203331';

let spans: CollectedSpan[];
let log: string;
/** Headers `traceparent` that the developer of an integration received. */
const received: unknown[] = [];

beforeAll(async () => {
  const collector = await startTraceCollector();
  const git = await startGitServer();
  const tunnel = await startReceiver(({ headers }) => {
    received.push(headers.traceparent);
    return new Response('OK');
  });
  const repository = await git.createRepository({ 'README.md': '# Guide\n\nText.\n' });
  const server = await programs.serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'docs',
    LOG_FORMAT: 'json',
  });
  const client = createClient({ baseUrl: server.url, token: server.token ?? '', retries: 0 });
  const [organization] = (await ok(client.GET('/v1/orgs'))).items;
  const organizationId = organization?.id ?? '';
  const { id: spaceId } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body: {} }),
  );
  await publish({ client }, 'traced', { organization: organizationId });
  await develop({ client }, 'traced', tunnel.url);

  const within = (trace: string) => ({ headers: { traceparent: `00-${trace}-${CLIENT_SPAN}-01` } });
  const params = { path: { spaceId } };
  await client.POST('/v1/spaces/{spaceId}/git/import', {
    params,
    body: { url: repository.url, ref: 'refs/heads/main' },
    ...within(TRACES.import),
  });
  const titles = async () =>
    (await ok(client.GET('/v1/spaces/{spaceId}/content/pages', { params }))).pages.map(({ title }) => title);
  await vi.waitFor(async () => expect(await titles()).toEqual(['Guide']), WAIT);
  await suspectJobs();
  await client.POST('/v1/spaces/{spaceId}/git/import', {
    params,
    body: { url: repository.url, ref: 'refs/heads/main', standalone: true },
    ...within(TRACES.isolated),
  });
  const runs = async () => (await ok(client.GET('/v1/spaces/{spaceId}/git/runs', { params }))).items;
  await vi.waitFor(
    async () => expect((await runs()).map(({ status }) => status)).toEqual(['completed', 'completed']),
    WAIT,
  );
  await install(tracing(client, TRACES.event), 'traced', organizationId);
  await vi.waitFor(() => expect(received).not.toEqual([]), WAIT);
  const search = { params: { path: { spaceId }, query: { query: 'text' } }, ...within(TRACES.search) };
  await ok(client.GET('/v1/spaces/{spaceId}/search', search));

  await server.stop();
  ({ spans } = collector);
  log = server.output.stderr;
  await Promise.all([collector.close(), git.close(), tunnel.close()]);

  /** A person whose requests belong to a trace. */
  function tracing(base: Client, trace: string): { client: Client } {
    const headers = within(trace).headers;
    const traced = createClient({ baseUrl: server.url, token: server.token ?? '', retries: 0, headers });
    return { client: { ...base, POST: traced.POST } };
  }
});

/** Has new jobs run in processes of their own, as if they had ended a process before. */
async function suspectJobs(): Promise<void> {
  const database = await openDatabase({ folder: programs.location.folder }, { migrated: true });
  await sql`
    create trigger "suspected" after insert on "jobs" when new."kind" = 'git-import' begin
      update "jobs" set "processEnds" = 1 where "id" = new."id";
    end`.execute(database.query);
  await database.close();
}

const spansOf = (trace: keyof typeof TRACES) => spans.filter(({ traceId }) => traceId === TRACES[trace]);
const named = (trace: keyof typeof TRACES, name: string) => spansOf(trace).find((span) => span.name === name);

/** Lists the names of the spans that contain a span, from the inside. */
function within(span: CollectedSpan | undefined): string[] {
  const parent = spans.find(({ spanId }) => spanId === span?.parentSpanId);
  return parent ? [parent.name, ...within(parent)] : [];
}

test('a request continues the trace of its client, with its statements', () => {
  const request = named('search', 'GET searchSpace');
  expect(request).toMatchObject({
    process: 'server',
    parentSpanId: CLIENT_SPAN,
    attributes: { 'http.response.status_code': 200, 'colophon.operation': 'searchSpace' },
  });
  expect(within(named('search', 'select'))).toEqual(['GET searchSpace']);
});

test('a task of a worker thread is a part of its request', () => {
  expect(within(named('search', 'task rank'))).toEqual(['GET searchSpace']);
});

test('a job continues the trace of the request that enqueued it, in its process', () => {
  const job = named('import', 'job git-import');
  expect(job).toMatchObject({
    process: 'jobs',
    attributes: { 'colophon.job.kind': 'git-import', 'colophon.job.outcome': 'done' },
  });
  expect(within(job).at(-1)).toMatch(/^POST \w+Import|^POST import\w+/);
  expect(within(named('import', 'git fetch'))[0]).toBe('job git-import');
});

test('a job in a process of its own is a part of its attempt', () => {
  const job = named('isolated', 'isolated git-import');
  expect(job?.process).toBe('jobs');
  expect(within(job)[0]).toBe('job git-import');
  expect(named('isolated', 'job git-import')?.process).toBe('server');
  expect(within(named('isolated', 'git fetch'))[0]).toBe('isolated git-import');
});

test('a delivery continues the trace of the request that raised its event, up to the developer', () => {
  const call = named('event', 'call installation_setup');
  expect(within(call)[0]).toBe('deliver installation_setup');
  expect(call?.process).toBe('jobs');
  expect(received[0]).toMatch(new RegExp(`^00-${TRACES.event}-[0-9a-f]{16}-01$`));
});

test('log lines have the trace', () => {
  const lines = log.split('\n').filter((line) => line.includes(TRACES.search));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      operation: 'searchSpace',
      traceId: TRACES.search,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    }),
  ]);
});

test('work without a request, such as polling, is not recorded', () => {
  const roots = spans.filter((span) => within(span).length === 0).map(({ name }) => name);
  expect(roots.filter((name) => !/^(?:GET|POST|PUT|PATCH|DELETE|job|deliver)\b/.test(name))).toEqual([]);
});
