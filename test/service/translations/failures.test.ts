// Runs on one engine: the service is called between the statements of runs.test.ts.
import { describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { startTestServer } from '../../support/server.ts';
import { type Fault, failing } from '../../support/translations/translation-service.ts';
import {
  createSource,
  createTranslation,
  readPages,
  readTranslation,
  runTranslation,
  untilCompleted,
} from '../../support/translations/translations.ts';
import { server, service, useTranslationService } from './servers.ts';

useTranslationService();

const translate = async (markdown: string, language: 'de' | 'no' | 'pt-br' = 'de') => {
  const source = await createSource(server.admin, server.organization, [['Page', markdown]]);
  return await createTranslation(server, source, { language });
};

const pageOf = async (id: string) => {
  const { space } = await untilCompleted(server, id);
  return (await readPages(server.admin.client, space)).page;
};

const FAULTS: [string, Fault[]][] = [
  ['fails', [failing(500), failing(503)]],
  ['limits the rate', [failing(429, { 'Retry-After': '1' })]],
  ['closes connections', [(response) => response.destroy()]],
  [
    'truncates a response',
    [
      (response) => {
        response.writeHead(200, { 'Content-Length': 99 });
        response.write('{"tr', () => response.destroy());
      },
    ],
  ],
  ['returns no JSON', [(response) => response.end('<html>Bad gateway</html>')]],
];

describe('a run continues after the service', () => {
  // How the service fails does not depend on the engine, and that a run continues is the same for all faults.
  test.each(FAULTS)('%s', async (_, faults) => {
    const id = await translate('One apple.\n\nTwo pears.\n');
    service.faults.push(...faults);
    expect(await pageOf(id)).toBe('ENO ELPPA.\n\nOWT SRAEP.\n');
    expect((await readTranslation(server, id)).stats).toMatchObject({ runs: 1, totalWords: 5 });
  });
});

test('a request is not repeated before the time that the service requests', async () => {
  const times: number[] = [];
  service.faults.push((response, request) => {
    times.push(performance.now());
    failing(429, { 'Retry-After': '3' })(response, request);
  });
  service.before = async () => void times.push(performance.now());
  await pageOf(await translate('Some text.\n'));
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThan(2900);
});

test.each<[string, Fault]>([
  [
    'a long request',
    (response) => {
      response.writeHead(400).end('{"error": "Invalid request: request (9) exceeds text limit (5)"}');
    },
  ],
  ['the right number of texts', (response) => void response.end('{"translatedText": ["ONLY ONE"]}')],
])('a service that does not support %s receives each text alone', async (_, fault) => {
  const id = await translate('One apple.\n\nTwo pears.\n');
  service.faults.push(fault);
  expect(await pageOf(id)).toBe('ENO ELPPA.\n\nOWT SRAEP.\n');
  expect(service.requests.map(({ q }) => q)).toEqual([
    ['Page', 'One apple.', 'Two pears.'],
    'Page',
    'One apple.',
    'Two pears.',
  ]);
});

test('a text that the service cannot translate keeps the source language, and is not a translated word', async () => {
  const tooLong: Fault = (response) => {
    response.writeHead(400).end('{"error": "Invalid request: request (9) exceeds text limit (5)"}');
  };
  const id = await translate('One apple.\n');
  const pass: Fault = (response, { q }) =>
    void response.end(JSON.stringify({ translatedText: `${q} translated` }));
  service.faults.push(tooLong, pass, tooLong);
  expect(await pageOf(id)).toBe('One apple.\n');
  expect((await readTranslation(server, id)).stats).toMatchObject({ totalWords: 1, totalPages: 1 });
});

describe('placeholders that the service mangles', () => {
  const markdown = 'Run `npm start` in **the folder**.\n';

  test.each<[string, (html: string) => string, string]>([
    [
      'with spaces and in capital letters are recognized',
      (html) => html.replaceAll('<span id=', '< SPAN id = ').replaceAll('</span>', '</ SPAN >'),
      'NUR `npm start` NI **EHT REDLOF**.\n',
    ],
    [
      'by reordering them are accepted',
      (html) => html.replace(/^(\S+) (<span.*?<\/span>) (.*)$/, '$2 $1 $3'),
      '`npm start` NUR NI **EHT REDLOF**.\n',
    ],
    [
      'by losing them lead to a translation in parts',
      (html) => html.replace(/<span id="1".*?<\/span> /, ''),
      'NUR `npm start` NI **EHT REDLOF**.\n',
    ],
    [
      'by duplicating them lead to a translation in parts',
      (html) => html.replace(/(<span id="1".*?<\/span>)/, '$1 $1'),
      'NUR `npm start` NI **EHT REDLOF**.\n',
    ],
    [
      'even in plain text leave the source text',
      (html) => (html.startsWith('EGAP') ? html : `${html}<span id="7">`),
      markdown,
    ],
  ])('%s', async (_, mangle, expected) => {
    service.mangle = mangle;
    expect(await pageOf(await translate(markdown))).toBe(expected);
  });
});

test('the codes of languages are those that the service lists', async () => {
  service.languages = ['en', 'nb', 'pb', 'de'];
  await pageOf(await translate('One.\n', 'no'));
  await pageOf(await translate('Two.\n', 'pt-br'));
  expect(service.requests.map(({ source, target }) => `${source} ${target}`)).toEqual(['en nb', 'en pb']);
});

describe('a run that fails permanently', () => {
  const untilPending = async (id: string, runs: number) =>
    await vi.waitFor(
      async () => {
        const translation = await readTranslation(server, id);
        expect(translation).toMatchObject({ status: 'pending', stats: { runs } });
        expect(translation.stats.latestRunDuration).toBeGreaterThan(0);
        return translation;
      },
      { timeout: 60_000, interval: 20 },
    );

  test.each<[string, () => void]>([
    ['an unsupported language', () => Object.assign(service, { languages: ['en', 'fr'] })],
    ['a rejected key', () => service.faults.push(failing(403))],
  ])('because of %s leaves the status pending, and another run completes', async (_, prepare) => {
    prepare();
    const id = await translate('One apple.\n');
    expect((await untilPending(id, 1)).result).toBeUndefined();
    service.reset();
    await runTranslation(server, id);
    expect((await untilCompleted(server, id, 2)).stats).toMatchObject({ totalWords: 3, latestPages: 1 });
  });

  test('keeps the segments that were translated before', async () => {
    const paragraphs = Array.from({ length: 40 }, (_, at) => `Paragraph number ${at}.`);
    // The second batch fails.
    service.before = async () => void service.faults.push(failing(403));
    const id = await translate(`${paragraphs.join('\n\n')}\n`);
    await untilPending(id, 1);
    const before = service.translated.length;
    expect(before).toBe(25);
    service.reset();
    await runTranslation(server, id);
    await untilCompleted(server, id, 2);
    expect(service.translated).toHaveLength(41 - before);
  });
});

test('without a service, a run ends at once, and the status remains pending', async () => {
  const other = await startTestServer();
  try {
    const source = await createSource(other.admin, other.organization, [['Page', 'Text.\n']]);
    const id = await createTranslation(other, source);
    await vi.waitFor(async () => {
      const jobs = await other.database.query
        .selectFrom('jobs')
        .select('state')
        .where('kind', '=', 'translation-run')
        .execute();
      expect(jobs).toEqual([{ state: 'done' }]);
    });
    const translation = await readTranslation(other, id);
    expect(translation).toMatchObject({ status: 'pending', stats: { runs: 0 } });
    expect(translation).not.toHaveProperty('result');
    const { items } = await ok(
      other.admin.client.GET('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: other.organization } },
      }),
    );
    expect(items.map((space) => space.id)).toEqual([source]);
  } finally {
    await other.stop();
  }
});
