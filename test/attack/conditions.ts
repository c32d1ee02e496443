import { ok } from '../../client/platform/index.ts';
import { placements } from '../support/content/conditional-placements.ts';
import { ADAPTIVE_SCHEMA } from '../support/sites/visited-sites.ts';
import { publishFiles } from './published.ts';
import { type Attack, type AttackClass, sendAs } from './target.ts';

const WORD = 'Quillwortfern';

/** Claims that visitors state themselves. `beta` has to be signed. */
const CLAIMS: Readonly<Record<string, { query?: string; headers?: Record<string, string> }>> = {
  'no claims': {},
  'claims in the address': { query: 'visitor.beta=true' },
  'claims in a cookie': { headers: { cookie: 'colophon-visitor-claims={"beta":true}' } },
  'an unsigned token': {
    headers: {
      authorization: `Bearer ${[{ alg: 'none' }, { beta: true, exp: 4_000_000_000 }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')}.`,
    },
  },
};

/** Reads of what depends on conditions, by visitors who do not have the claims. */
export const conditionalText: AttackClass = {
  name: 'conditional texts of published sites',
  minAccepted: 0.5,
  async attacks(target) {
    const texts = placements(WORD);
    const { url, site } = await publishFiles(target, 'Conditions', {
      'README.md': '# Start\n\nText\n',
      ...Object.fromEntries(
        texts.map(({ markdown }, at) => [`page-${at}.md`, `# Page ${at}\n\n${markdown}\n`]),
      ),
    });
    const { client } = target.attacker;
    const params = { path: site };
    const path = '/v1/orgs/{organizationId}/sites/{siteId}' as const;
    await ok(client.PUT(`${path}/adaptive-schema`, { params, body: { jsonSchema: ADAPTIVE_SCHEMA } }));
    const body = { adaptiveContent: { enabled: true }, agentsContext: 'included' } as const;
    await ok(client.PATCH(path, { params, body }));
    const { pathname } = new URL(url);
    const addresses = [
      ...texts.flatMap(({ name }, at) => [
        { name, address: `/page-${at}` },
        { name: `${name}, as Markdown`, address: `/page-${at}.md` },
      ]),
      { name: 'a search', address: `/~search.json?q=${WORD}` },
      { name: 'a search for a part', address: `/~search?q=${WORD.slice(0, 6)}` },
      { name: 'the index for agents', address: '/llms.txt' },
    ];
    return Object.entries(CLAIMS).flatMap(([claims, { query, headers = {} }]) =>
      addresses.map(({ name, address }): Attack => {
        const suffix = query === undefined ? '' : `${address.includes('?') ? '&' : '?'}${query}`;
        const request = { method: 'GET', target: `${pathname}${address}${suffix}`, headers };
        return {
          name: `${name} with ${claims}`,
          send: async () => {
            const response = await sendAs(target, request);
            const text = response.text
              .replaceAll('<mark>', '')
              .replaceAll(/value="[^"]*"|"query":"[^"]*"/g, '');
            return { ...response, mustFail: text.includes(WORD) };
          },
        };
      }),
    );
  },
};
