import type { RootContent } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { expect } from 'vitest';
import { ok } from '../../client/platform/index.ts';
import { MAX_ARCHIVE_ENTRIES } from '../../server/content/convert/archives/zip.ts';
import { pageText } from '../support/content/branches.ts';
import { readTree } from '../support/content/imports.ts';
import { type SiteResponse, startSite } from '../support/http/site.ts';
import { docx, zip } from '../support/zip.ts';
import { publishFiles } from './published.ts';
import { type Attack, type AttackClass, jsonRequest, sendAs } from './target.ts';

const repeat = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));

/** Texts that made parsers slow, large or deep, with the number of characters of markdown. */
const MARKDOWN: Readonly<Record<string, (size: number) => string>> = {
  'list items': (size) => repeat('- a\n', size),
  'nested list items': (size) =>
    Array.from({ length: Math.sqrt(size) }, (_, at) => `${'  '.repeat(at)}- a\n`).join(''),
  'table rows': (size) => `| a | b |\n| - | - |\n${repeat('| c | d |\n', size)}`,
  'table columns': (size) =>
    `${repeat('| a ', size / 3)}|\n${repeat('| - ', size / 3)}|\n${repeat('| b ', size / 3)}|`,
  prose: (size) => repeat('The quick *brown* fox [jumps](over.md) the `lazy` dog.\n', size),
  'nested quotes': (size) => repeat('> ', size),
  brackets: (size) => repeat('[', size),
  'link openers': (size) => repeat('[a](', size),
  emphasis: (size) => repeat('*a **b _c ', size),
  backticks: (size) => Array.from({ length: Math.sqrt(size) }, (_, at) => `${'`'.repeat(at + 1)} `).join(''),
  tags: (size) => repeat('{% hint %}\n', size),
  'closed tags': (size) => repeat('{% hint style="info" %}\na\n{% endhint %}\n', size),
  HTML: (size) => repeat('<div><b>', size),
  entities: (size) => repeat('&amp;', size),
  definitions: (size) => repeat('[a]: b\n', size),
  notes: (size) => repeat('[^a] [^a]: [^a]\n', size),
  formulas: (size) => repeat('$$a$$ $', size),
  headings: (size) => repeat('# a\n', size),
  spaces: (size) => repeat(' ', size),
  expressions: (size) => repeat('<code class="expression">space.vars.a</code>', size),
};

/** Text at the beginning of each page, which a reader must receive. */
const INTRODUCTION = 'An introduction.';

/** Pages, comments and edits with texts that are expensive to parse. */
export const hostileMarkdown: AttackClass = {
  name: 'markdown that is hard to parse',
  minAccepted: 0.6,
  async attacks(target, rounds) {
    // Up to 1 MB; 12 kB also nests deeper than a stack.
    const size = rounds === 1 ? 12_000 : Math.min(100_000 * rounds, 1_000_000);
    const { own, attacker } = target;
    const space = `/v1/spaces/${await own.idFor('spaceId')}`;
    const changes = `${space}/change-requests/${await own.idFor('changeRequestId')}`;
    return Object.entries(MARKDOWN).flatMap(([name, make]): Attack[] => {
      const markdown = `${INTRODUCTION}\n\n${make(size)}`;
      const insert = { operation: 'insert_page', document: { markdown }, title: name, ref: 'page' };
      return [
        {
          name: `a page of ${name}, written and read in both forms`,
          send: async () => {
            const written = await sendAs(
              target,
              jsonRequest('post', `${changes}/content`, { changes: [insert] }),
              attacker.token,
            );
            if (written.status >= 300) {
              return written;
            }
            const tree = await sendAs(target, jsonRequest('get', `${changes}/content/pages`), attacker.token);
            const { pages } = tree.json as { pages: { id: string; title: string }[] };
            const id = pages.find(({ title }) => title === name)?.id;
            for (const format of ['document', 'markdown', 'document&evaluated=true']) {
              const read = await sendAs(
                target,
                jsonRequest('get', `${changes}/content/page/${id}?format=${format}`),
                attacker.token,
              );
              // A server that is busy may reject the read, too.
              if (read.status === 503) {
                return read;
              }
              if (read.status !== 200 || !read.text.includes(INTRODUCTION)) {
                return { ...read, status: 500 };
              }
            }
            return written;
          },
        },
        {
          name: `a comment of ${name}`,
          send: () =>
            sendAs(
              target,
              jsonRequest('post', `${space}/comments`, { body: { markdown: markdown.slice(0, 900_000) } }),
              attacker.token,
            ),
        },
      ];
    });
  },
};

/** Scale of texts that take long for their length: the hundredth part of the full size would take up to a minute. */
const reduced = (scale: number) => (scale < 0.1 ? scale / 10 : scale);

const listItems = (scale: number) => repeat('- a\n', 8_000_000 * reduced(scale));

/** Archives and documents that must not affect the server. */
const ARCHIVES: Readonly<Record<string, (scale: number) => Buffer>> = {
  'a way up': () => zip({ '../../../../tmp/colophon-escaped.md': '# A' }),
  'an absolute path': () => zip({ '/tmp/colophon-escaped.md': '# A' }),
  'a drive': () => zip({ 'C:\\colophon-escaped.md': '# A' }),
  backslashes: () => zip({ '..\\..\\colophon-escaped.md': '# A' }),
  'a NUL in a name': () => zip({ 'a\0.md': '# A' }),
  'a symbolic link': () => zip({ 'a.md': { content: '/etc/passwd', mode: 0o120777 }, 'b.md': '# B' }),
  'an encrypted file': () => zip({ 'a.md': { content: '# A', encrypted: true } }),
  'a bomb': (scale) => zip({ 'a.md': Buffer.alloc(300_000_000 * scale, 'a') }),
  'a bomb that declares a false size': () =>
    zip({ 'a.md': { content: Buffer.alloc(50_000_000, 'a'), declaredBytes: 10 } }),
  'many files': () =>
    zip(Object.fromEntries(Array.from({ length: MAX_ARCHIVE_ENTRIES + 1 }, (_, at) => [`${at}.md`, '#']))),
  'deep folders': () => zip({ [`${'a/'.repeat(3000)}b.md`]: '# A' }),
  'no end': () => zip({ 'a.md': '# A' }).subarray(0, -10),
  'no archive': () => Buffer.from('PK\x03\x04 and nothing else'),
  'hostile front matter': (scale) =>
    zip({ 'README.md': `---\na: ${repeat('[', 7_000_000 * scale)}\n---\n# A` }),
  'a page of list items': (scale) => zip({ 'README.md': listItems(scale) }),
};

const DOCUMENTS: Readonly<
  Record<string, readonly [source: string, make: (scale: number) => string | Buffer]>
> = {
  'deep HTML': ['html', (scale) => `<main>${repeat('<div>', 2_500_000 * reduced(scale))}`],
  'formatting elements': [
    'html',
    (scale) => `<main>${`${repeat('<b><i>', 500_000 * reduced(scale))}<p>`.repeat(4)}`,
  ],
  'list items in HTML': ['html', (scale) => `<main><ul>${repeat('<li>a', 2_500_000 * reduced(scale))}</ul>`],
  'tables in HTML': ['html', (scale) => `<main>${repeat('<table><tr><td>', 2_500_000 * reduced(scale))}`],
  'a Word document of many paragraphs': [
    'docx',
    (scale) => docx(Array.from({ length: 100_000 * scale }, () => ['', 'a'])),
  ],
  'markdown of list items': ['markdown', listItems],
};

/** Returns a response with content. An import of HTML requires its media type. */
const download =
  (source: string, make: () => string | Buffer): SiteResponse =>
  (response) => {
    if (source === 'html') {
      response.setHeader('Content-Type', 'text/html');
    }
    response.end(make());
  };

/** Ordinary archives and documents by source, which are imported after the others. */
const ORDINARY: Readonly<Record<string, string | Buffer>> = {
  zip: zip({ 'README.md': '# A\n\nText\n' }),
  html: '<main><h1>A</h1><p>Text</p></main>',
  docx: docx([['', 'Text']]),
  markdown: '# A\n\nText\n',
};

/** Imports of archives and documents that escape their folder or expand. */
export const hostileArchives: AttackClass = {
  name: 'archives and documents that escape or expand',
  // At full size, most are rejected.
  minAccepted: 0.1,
  async attacks(target, rounds) {
    // A small size triggers the same bugs in seconds instead of minutes.
    const scale = rounds === 1 ? 0.01 : Math.min(1, rounds / 10);
    const archives = [
      ...Object.entries(ARCHIVES).map(([name, make]) => ({ name, source: 'zip', make })),
      ...Object.entries(DOCUMENTS).map(([name, [source, make]]) => ({ name, source, make })),
    ];
    const site = await startSite(
      Object.fromEntries(
        // Created on demand: together they take hundreds of megabytes.
        archives.map(({ source, make }, at) => [`/${at}.${source}`, download(source, () => make(scale))]),
      ),
    );
    const attacks: Attack[] = [];
    for (const [at, { name, source }] of archives.entries()) {
      // Ahead of time: creating archives blocks this process, and its clients would time out.
      const space = `/v1/spaces/${await target.own.fresh().idFor('spaceId')}`;
      const body = { url: `${site.url}/${at}.${source}`, source };
      const request = jsonRequest('post', `${space}/content/import`, body);
      attacks.push({ name, send: () => sendAs(target, request, target.attacker.token) });
    }
    return attacks;
  },
  async after({ own, attacker: { client } }) {
    const site = await startSite(
      Object.fromEntries(
        Object.entries(ORDINARY).map(([source, content]) => [`/${source}`, download(source, () => content)]),
      ),
    );
    for (const source of ['zip', 'html', 'docx', 'markdown'] as const) {
      const params = { path: { spaceId: await own.fresh().idFor('spaceId') } };
      const body = { url: `${site.url}/${source}`, source };
      await ok(client.POST('/v1/spaces/{spaceId}/content/import', { params, body }));
      const [page] = await readTree(client, params.path.spaceId);
      expect(await pageText(client, page?.id ?? '', params.path.spaceId)).toContain('Text');
    }
    await site.close();
  },
};

/** Content that a browser would execute if a page or a file returned it unchanged. */
const SCRIPTS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<a href="javascript:alert(1)">a</a>',
  '<a href="java\nscript:alert(1)">a</a>',
  '<a href="data:text/html,<script>alert(1)</script>">a</a>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<form action="javascript:alert(1)"><button>a</button></form>',
  '<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<a href="vbscript:a">a</a>',
  '<base href="javascript:alert(1)//">',
  '<object data="javascript:alert(1)"></object>',
];

/** Markup that could become active between the text of an author and the page of a site. */
const MARKDOWN_SCRIPTS = [
  '[a](javascript:alert(1))',
  '[a](<javascript:alert(1)>)',
  '![a](x"onerror="alert(1))',
  '{% embed url="javascript:alert(1)" %}',
  '{% content-ref url="javascript:alert(1)" %}\na\n{% endcontent-ref %}',
  '```"><script>alert(1)</script>\na\n```',
  '$$\\href{javascript:alert(1)}{a}$$',
  '# a {#"onclick=alert(1)}',
];

/** Elements that are active, or replace addresses, besides those of the frame of a page. */
const ACTIVE_ELEMENTS: ReadonlySet<string> = new Set(['iframe', 'object', 'embed', 'base', 'form', 'script']);

/** Returns the active elements, handlers and addresses of nodes. Scripts of the frame of a page have its nonce. */
function activeIn(nodes: readonly RootContent[], nonce: string | undefined): string[] {
  return nodes.flatMap((node): string[] => {
    if (node.type !== 'element') {
      return [];
    }
    const { tagName, properties, children } = node;
    const isOfFrame =
      (tagName === 'script' && properties.nonce === nonce && String(properties.src).includes('/~assets/')) ||
      (tagName === 'form' && /\/~(?:search$|feedback\/)/.test(String(properties.action)));
    const attributes = Object.entries(properties).filter(
      ([name, value]) =>
        /^on|^srcdoc$/i.test(name) || /^\s*(?:javascript|vbscript|data:text)/i.test(String(value)),
    );
    return [
      ...(ACTIVE_ELEMENTS.has(tagName) && !isOfFrame ? [tagName] : []),
      ...attributes.map(([name, value]) => `${tagName} ${name}=${String(value)}`),
      ...activeIn(children, nonce),
    ];
  });
}

/** Pages of published sites with scripts in their content. */
export const publishedScript: AttackClass = {
  name: 'script in pages of published sites',
  minAccepted: 0.9,
  async attacks(target) {
    const texts = [...SCRIPTS, ...MARKDOWN_SCRIPTS];
    const { url } = await publishFiles(target, SCRIPTS[0] ?? '', {
      'README.md': '# Start\n\nText\n',
      ...Object.fromEntries(
        texts.map((text, at) => [`page-${at}.md`, `# ${text}\n\n${text}\n\nText ${text} text\n`]),
      ),
    });
    const sitemap = await (await fetch(`${url}/sitemap.xml`)).text();
    const pages = [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, address = '']) => address);
    expect(pages).toHaveLength(texts.length + 1);
    return pages.map((page) => ({
      name: page,
      send: async () => {
        const response = await fetch(page);
        const text = await response.text();
        const policy = response.headers.get('content-security-policy') ?? '';
        const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
        const active = activeIn(fromHtml(text).children, nonce);
        return {
          status: response.status,
          text: active.join(', '),
          mustFail:
            active.length > 0 || nonce === undefined || policy.includes('unsafe') || !text.includes('Text'),
        };
      },
    }));
  },
};

/** Imports of HTML with scripts, and files that a browser would execute in our origin. */
export const storedScript: AttackClass = {
  name: 'stored script',
  minAccepted: 0.9,
  async attacks(target) {
    const { own, attacker } = target;
    const page = (script: string) => `<title>A</title><main><h1>A</h1><p>Text ${script} text</p></main>`;
    const site = await startSite(Object.fromEntries(SCRIPTS.map((script, at) => [`/${at}`, page(script)])));
    const changes = `/v1/spaces/${await own.idFor('spaceId')}/change-requests/${await own.idFor('changeRequestId')}`;
    const types = [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/xml',
      'application/javascript',
    ];
    return [
      ...SCRIPTS.map(
        (script, at): Attack => ({
          name: `an import of ${script}`,
          send: async () => {
            const space = `/v1/spaces/${await own.fresh().idFor('spaceId')}`;
            const body = { url: `${site.url}/${at}`, source: 'html' };
            const imported = await sendAs(
              target,
              jsonRequest('post', `${space}/content/import`, body),
              attacker.token,
            );
            const tree = await sendAs(target, jsonRequest('get', `${space}/content/pages`), attacker.token);
            const [first] = (tree.json as { pages: { id: string }[] }).pages;
            const read = await sendAs(
              target,
              jsonRequest('get', `${space}/content/page/${first?.id}?format=markdown`),
              attacker.token,
            );
            const runs = /javascript:|vbscript:|data:text|<script|on(?:error|load)=/i.test(read.text);
            const isBreach = runs || !read.text.includes('Text');
            return imported.status < 300 && isBreach ? { ...read, mustFail: true } : imported;
          },
        }),
      ),
      ...types.map(
        (contentType): Attack => ({
          name: `a file of type ${contentType}`,
          send: async () => {
            const file = {
              name: 'a.html',
              contentType,
              base64: Buffer.from(SCRIPTS[0] ?? '').toString('base64'),
            };
            const change = { operation: 'insert_files', files: [file] };
            const body = { changes: [change] };
            const written = await sendAs(
              target,
              jsonRequest('post', `${changes}/content`, body),
              attacker.token,
            );
            if (written.status >= 300) {
              return written;
            }
            const files = await sendAs(
              target,
              jsonRequest('get', `${changes}/content/files`),
              attacker.token,
            );
            const { items } = files.json as { items: { downloadURL: string }[] };
            const response = await fetch(items.at(-1)?.downloadURL ?? '');
            const policy = response.headers.get('content-security-policy') ?? '';
            const sandboxed = policy.includes("default-src 'none'") && policy.includes('sandbox');
            const safe = sandboxed && response.headers.get('x-content-type-options') === 'nosniff';
            const text = await response.text();
            return { status: response.status, text, mustFail: !safe || text !== SCRIPTS[0] };
          },
        }),
      ),
    ];
  },
};
