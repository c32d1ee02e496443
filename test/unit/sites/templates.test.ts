import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ENGLISH_LABELS } from '../../../server/content/html/options.ts';
import { html } from '../../../server/contract/docs/html.ts';
import { editHref } from '../../../server/platform/sites/reading/edit-links/address.ts';
import { contentLabelsIn, labelsIn } from '../../../server/platform/sites/reading/labels.ts';
import { page } from '../../../server/platform/sites/reading/templates/page.ts';
import { searchPage } from '../../../server/platform/sites/reading/templates/search.ts';
import { contrast, styleOf } from '../../../server/platform/sites/reading/templates/theme.ts';
import type { Frame, PageView } from '../../../server/platform/sites/reading/templates/types.ts';
import { iconOf } from '../../../server/platform/sites/reading/views/frame-view.ts';
import { excerptOf } from '../../../server/platform/sites/reading/views/search-view.ts';
import { DEFAULT_CUSTOMIZATION } from '../../../server/platform/sites/sites/queries/customization.ts';

const frame: Frame = {
  title: 'Acme <Docs>',
  home: '/sites/acme/docs',
  base: '/sites/acme/docs',
  siteSpace: 'ssp_1',
  language: 'en',
  direction: 'ltr',
  labels: labelsIn('en'),
  customization: DEFAULT_CUSTOMIZATION,
  assets: {
    styles: ['/a.css'],
    early: '/early.js',
    integrations: '/integrations.js',
    modules: ['/site.js'],
    block: { style: '/block.css', script: '/block.js' },
    fonts: [],
  },
  tabs: [],
  variants: [],
  headerLinks: [],
  footerGroups: [],
  announcementLink: undefined,
  tree: [
    { kind: 'page', title: '<b>Start</b>', href: '/x"y', isCurrent: true, hasEntries: false, entries: [] },
  ],
  favicon: undefined,
  scripts: [],
  asksForConsent: false,
};

const view: PageView = {
  head: { title: 'Start', description: '"quoted" & <tagged>', isIndexed: true },
  title: 'Start <script>',
  description: undefined,
  cover: undefined,
  breadcrumbs: [],
  content: html`<p>Content</p>`,
  outline: [{ id: 'a b', title: 'A & B', level: 1 }],
  previous: undefined,
  next: { title: '<i>Next</i>', href: '/next' },
  updatedAt: '2026-03-04T05:06:07.000Z',
  editHref: undefined,
  markdownHref: undefined,
  pdfHref: undefined,
  wholePdfHref: undefined,
  feedbackHref: undefined,
  show: {
    title: true,
    description: true,
    tree: true,
    outline: true,
    pagination: true,
    metadata: true,
    actions: true,
    anchors: true,
    isWide: false,
  },
};

describe('templates', () => {
  test('escape texts of authors everywhere', () => {
    const text = page(frame, view);
    expect(text).toContain('<title>Start | Acme &lt;Docs&gt;</title>');
    expect(text).toContain('content="&quot;quoted&quot; &amp; &lt;tagged&gt;"');
    expect(text).toContain('&lt;b&gt;Start&lt;/b&gt;');
    expect(text).toContain('href="/x&quot;y"');
    expect(text).toContain('Start &lt;script&gt;');
    expect(text).toContain('&lt;i&gt;Next&lt;/i&gt;');
    expect(text).toContain('href="#a%20b"');
    expect(text).toContain('<p>Content</p>');
  });

  test('give each script and style the nonce, and contain no other code', () => {
    const text = page(frame, view);
    for (const [tag] of text.matchAll(/<(?:script|style|link rel="stylesheet")[^>]*>/g)) {
      expect(tag).toMatch(/ nonce="nonce-[\w-]{24}"/);
    }
    expect(text).not.toMatch(/\son\w+=|\sstyle=|javascript:/);
  });

  test('show the query of a search as text', () => {
    const text = searchPage(frame, { query: '"><img src=x>', count: 0, results: [] });
    expect(text).not.toContain('<img src=x>');
    expect(text).toContain('value="&quot;&gt;&lt;img src=x&gt;"');
  });

  test('omit what the page does not show', () => {
    const show = {
      ...view.show,
      tree: false,
      outline: false,
      pagination: false,
      metadata: false,
      actions: false,
    };
    const linked = { ...view, markdownHref: '/start.md' };
    const text = page(frame, { ...linked, show: { ...show, anchors: false } });
    expect(text).not.toContain('class="page-actions"');
    expect(page(frame, linked)).toContain('class="page-actions"');
    expect(text).toMatch(/class="layout[^"]* no-anchors"/);
    expect(page(frame, linked)).not.toMatch(/class="layout[^"]* no-anchors"/);
    expect(text).not.toContain('class="sidebar"');
    expect(text).not.toContain('class="outline"');
    expect(text).not.toContain('class="neighbors"');
    expect(text).not.toContain('<time');
    expect(page(frame, view)).toContain('<time datetime="2026-03-04T05:06:07.000Z">March 4, 2026</time>');
  });
});

test.each(['#ffff00', '#000000', '#ffffff', '#346ddb', '#808080'])('links in %s are readable', (color) => {
  const primaryColor = { light: color, dark: color };
  const { text } = styleOf({
    ...DEFAULT_CUSTOMIZATION,
    styling: { ...DEFAULT_CUSTOMIZATION.styling, primaryColor },
  });
  const [, light = '', dark = ''] = /--link:light-dark\((#\w{6}),(#\w{6})\)/.exec(text) ?? [];
  expect(contrast(light, '#ffffff')).toBeGreaterThan(4.5);
  expect(contrast(dark, '#15171c')).toBeGreaterThan(4.5);
});

describe('customizations', () => {
  const customized = (
    styling: Partial<typeof DEFAULT_CUSTOMIZATION.styling>,
    header = DEFAULT_CUSTOMIZATION.header,
  ) => ({ ...DEFAULT_CUSTOMIZATION, header, styling: { ...DEFAULT_CUSTOMIZATION.styling, ...styling } });

  test('tint all backgrounds, on which links remain readable', () => {
    const tint = { color: { light: '#ff0000', dark: '#00ff00' } };
    const customization = customized({ tint, primaryColor: { light: '#808080', dark: '#808080' } });
    const { text } = styleOf(customization);
    const colors = (name: string) =>
      new RegExp(`--${name}:light-dark\\((#\\w{6}),(#\\w{6})\\)`).exec(text)?.slice(1) ?? [];
    const [page, link] = [colors('page'), colors('link')];
    expect(page).toEqual(['#fff2f2', '#132a1a']);
    expect(styleOf(customized({})).text).not.toContain('--page');
    for (const [at, background] of page.entries()) {
      expect(contrast(background, link[at] ?? '')).toBeGreaterThan(4.5);
    }
    expect(pageWith(customization)).toMatch(/<html[^>]* class="[^"]*\btinted\b/);
  });

  test('choose fonts by their names with or without spaces, and those of the system otherwise', () => {
    const font = (styling: Parameters<typeof customized>[0]) => styleOf(customized(styling)).text;
    expect(font({ font: 'Open Sans' })).toContain('--font:"Open Sans Variable",');
    expect(font({ font: 'SourceSansPro' })).toContain('--font:"Source Sans 3 Variable",');
    expect(font({ monospaceFont: 'JetBrainsMono' })).toContain('--font-mono:"JetBrains Mono Variable",');
    for (const name of ['Papyrus', 'constructor', '"};x{']) {
      expect(font({ font: name })).toContain('--font:ui-sans-serif');
    }
  });

  test('show no links in a header without a preset', () => {
    const links = [{ title: 'Status', href: '/status', style: 'link' as const, links: [] }];
    const { header } = DEFAULT_CUSTOMIZATION;
    const shown = (preset: typeof header.preset) =>
      page({ ...frame, headerLinks: links, customization: customized({}, { ...header, preset }) }, view);
    expect(shown('default')).toContain('class="header-links"');
    expect(shown('none')).not.toContain('class="header-links"');
    expect(shown('none')).toMatch(/<html[^>]* class="[^"]*\bwithout-header\b/);
  });

  test('forbid readers to replace the theme', () => {
    const shown = (toggeable: boolean) =>
      pageWith({ ...DEFAULT_CUSTOMIZATION, themes: { default: 'dark', toggeable } });
    expect(shown(true)).toMatch(/<html[^>]* data-theme="dark"/);
    expect(shown(true)).toContain('theme-button');
    expect(shown(true)).not.toContain('fixed-theme');
    expect(shown(false)).not.toContain('theme-button');
    expect(shown(false)).toMatch(/<html[^>]* class="[^"]*\bfixed-theme\b[^>]* data-theme="dark"/);
  });

  test('have an icon for each theme of the browser', () => {
    const shown = (light: string, dark: string) => page({ ...frame, favicon: { light, dark } }, view);
    expect(shown('/light.png', '/dark.png')).toContain(
      '<link rel="icon" media="(prefers-color-scheme: dark)" href="/dark.png"><link rel="icon" media="(prefers-color-scheme: light)" href="/light.png">',
    );
    expect(shown('/icon.png', '/icon.png')).toContain('<link rel="icon" href="/icon.png">');
  });

  test('choose the style of icons that exist in it', () => {
    const iconIn = (icons: 'regular' | 'solid' | 'duotone' | 'thin' | 'light', icon: string) =>
      iconOf({ icon }, customized({ icons }))?.text;
    expect(iconIn('regular', 'bell')).not.toBe(iconIn('solid', 'bell'));
    expect(iconIn('thin', 'bell')).toBe(iconIn('regular', 'bell'));
    expect(iconIn('duotone', 'bell')).toBe(iconIn('solid', 'bell'));
    expect(iconIn('regular', 'rocket')).toBe(iconIn('solid', 'rocket'));
    expect(iconIn('regular', 'fa-solid fa-bell')).toBe(iconIn('solid', 'bell'));
  });
});

const pageWith = (customization: Frame['customization']) => page({ ...frame, customization }, view);

test('excerpts start before the first match at a word, and mark all matches', () => {
  const body = `${'filler words '.repeat(20)}then the Retry happens, and another retry. ${'more '.repeat(80)}`;
  const parts = excerptOf(body, ['retry']);
  expect(parts.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual(['Retry', 'retry']);
  expect(parts[0]?.text).toMatch(/^… (?:filler|words) /);
  expect(parts.at(-1)?.text).toMatch(/ …$/);
});

test('every language of the contract has all texts, with the same placeholders', () => {
  const placeholders = (labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).map(([name, text]) => [name, text.match(/\{\w+\}/g)?.sort() ?? []]);
  const contract: { components: { schemas: { Language: { enum: string[] } } } } = JSON.parse(
    readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
  );
  const languages = contract.components.schemas.Language.enum;
  expect(languages).toHaveLength(38);
  for (const language of languages) {
    const labels = labelsIn(language);
    expect(labels.language).toBe(language.split('-')[0]);
    expect([language, placeholders(labels)]).toEqual([language, placeholders(labelsIn('en'))]);
    const content = { ...ENGLISH_LABELS, ...contentLabelsIn(language) };
    expect(Object.keys(content)).toEqual(Object.keys(ENGLISH_LABELS));
    expect(content.truncated === ENGLISH_LABELS.truncated).toBe(language === 'en');
  }
});

describe('addresses at which pages are edited', () => {
  const git = {
    url: 'https://github.com/acme/docs',
    ref: 'refs/heads/main',
    repoName: 'docs',
    installationProvider: null,
    integration: null,
    projectDirectory: null,
    treeURL: null,
    commitURL: null,
    oid: null,
    timestamp: null,
    updatedAt: '2026-01-01T00:00:00.000Z',
  };

  test('lead to the file on its branch', () => {
    expect(editHref(git, 'guide/a b.md')).toBe('https://github.com/acme/docs/edit/main/guide/a%20b.md');
    expect(editHref({ ...git, url: 'https://gitlab.com/acme/docs' }, 'a.md')).toBe(
      'https://gitlab.com/acme/docs/-/edit/main/a.md',
    );
  });

  test('do not exist for unknown providers, other protocols, and pages without a file', () => {
    expect(editHref({ ...git, url: 'https://git.example.com/docs' }, 'a.md')).toBeUndefined();
    expect(editHref({ ...git, url: 'file:///srv/docs' }, 'a.md')).toBeUndefined();
    expect(editHref(git, undefined)).toBeUndefined();
  });
});
