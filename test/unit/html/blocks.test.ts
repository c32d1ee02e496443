import { describe, expect, test } from 'vitest';
import type { RenderTarget } from '../../../server/content/html/options.ts';
import { rendered, textContent } from '../../support/sites/rendered.ts';

const targets = new Map<string, RenderTarget>([
  ['ports.md', { kind: 'page', title: 'Ports', url: '/ports', description: 'Where to moor' }],
  [
    'boat.png',
    { kind: 'file', title: 'boat.png', url: '/boat.png', width: 1200, height: 600, contentType: 'image/png' },
  ],
  [
    'dark.png',
    { kind: 'file', title: 'dark.png', url: '/dark.png', width: 1200, height: 600, contentType: 'image/png' },
  ],
  [
    'a.pdf',
    { kind: 'file', title: 'a.pdf', url: '/a.pdf', bytes: 2_411_000, contentType: 'application/pdf' },
  ],
]);

describe('headings', () => {
  test('are below the title of the page, with an anchor that a link leads to', () => {
    const page = rendered('## Set up\n\n### More\n\n## Set up');
    expect(page.find('h2').properties.id).toBe('set-up');
    expect(page.find('h2 > a.anchor').properties).toMatchObject({
      href: '#set-up',
      ariaLabel: 'Link to this section: Set up',
    });
    expect(page.find('h3').properties.id).toBe('more');
    expect(page.outline).toEqual([
      { id: 'set-up', title: 'Set up', level: 1 },
      { id: 'more', title: 'More', level: 2 },
      { id: 'set-up-1', title: 'Set up', level: 1 },
    ]);
  });

  test('have no entry in the outline if they are hidden at first', () => {
    const page = rendered(
      '{% tabs %}\n{% tab title="A" %}\n# Inside\n{% endtab %}\n{% endtabs %}\n\n<details>\n<summary>B</summary>\n\n# Below\n\n</details>\n\n# Outside',
    );
    expect(page.outline.map(({ title }) => title)).toEqual(['Outside']);
    expect(page.all('h2').map(({ properties }) => properties.id)).toEqual(['inside', 'below', 'outside']);
  });

  test('start at the requested level', () => {
    expect(rendered('## A\n\n#### B', { headingLevel: 4 }).all('h4, h6')).toHaveLength(2);
  });
});

describe('lists', () => {
  test('keep their numbers, and tasks their state as text', () => {
    expect(rendered('3. a\n4. b').find('ol').properties.start).toBe(3);
    expect(rendered('1. a').find('ol').properties.start).toBeUndefined();
    const tasks = rendered('- [x] a\n- [ ] b').all('li .checkbox');
    expect(tasks.map(({ properties }) => properties.ariaLabel)).toEqual(['Done', 'Not done']);
  });

  test('have no paragraph in short items', () => {
    const page = rendered('* a\n  * b\n* c');
    expect(page.all('p')).toEqual([]);
    expect(page.all('li')).toHaveLength(3);
  });
});

describe('hints', () => {
  test.each(['info', 'success', 'warning', 'danger'])(
    'of the style %s are named, not only colored',
    (style) => {
      const page = rendered(`{% hint style="${style}" %}\nText\n{% endhint %}`, {
        labels: { [style]: `Label of ${style}` },
      });
      expect(page.find('.hint').properties.className).toContain(`hint-${style}`);
      expect(page.text('.hint-label')).toBe(`Label of ${style}`);
      expect(page.find('.hint-label svg').properties.ariaHidden).toBe('true');
    },
  );
});

describe('images', () => {
  test('have dimensions in the proportions of their file, and load when they are near', () => {
    const page = rendered(
      '<figure><img src="boat.png" alt="A boat" width="300"><figcaption>At <em>sea</em></figcaption></figure>',
      { targets },
    );
    expect(page.find('figure img').properties).toMatchObject({
      src: '/boat.png',
      alt: 'A boat',
      width: 300,
      height: 150,
      loading: 'lazy',
    });
    expect(page.text('figcaption')).toBe('At sea');
    expect(page.image).toBe('/boat.png');
  });

  test('have a class for a width in percent', () => {
    const page = rendered('<figure><img src="boat.png" alt="" width="58%"></figure>', { targets });
    expect(page.find('figure').properties.className).toContain('width-60');
    expect(page.find('img').properties).toMatchObject({ width: 1200, height: 600 });
  });

  test('have a variant for each theme', () => {
    const page = rendered(
      '<picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="boat.png" alt="x"></picture>',
      { targets },
    );
    expect(page.find('img.light-only').properties.src).toBe('/boat.png');
    expect(page.find('img.dark-only').properties.src).toBe('/dark.png');
  });

  test('without an address are shown as their description', () => {
    const page = rendered('![A lost boat](lost.png)');
    expect(page.all('img')).toEqual([]);
    expect(page.text('.missing-image')).toBe('A lost boat');
  });
});

describe('cards', () => {
  test('of files have a name and a size in the language of the page', () => {
    const markdown = '{% file src="a.pdf" %}\nManual\n{% endfile %}';
    const page = rendered(markdown, { targets });
    expect(page.find('a.link-card').properties).toMatchObject({ href: '/a.pdf', download: true });
    expect(page.text('.link-card')).toContain('a.pdf');
    expect(page.text('.link-card-detail')).toBe('Download · 2.4 MB');
    expect(rendered(markdown, { targets, language: 'de' }).text('.link-card-detail')).toContain('2,4');
  });

  test('of pages have their title', () => {
    const page = rendered('{% content-ref url="ports.md" %}\n[ports.md](ports.md)\n{% endcontent-ref %}', {
      targets,
    });
    expect(page.find('a.link-card').properties.href).toBe('/ports');
    expect(page.text('.link-card-title')).toBe('Ports');
    expect(page.text('.link-card-detail')).toBe('Where to moor');
  });

  test('replace embedded content, so that nothing is requested from other sites', () => {
    const page = rendered('{% embed url="https://www.youtube.com/watch?v=a" %}');
    expect(page.all('iframe')).toEqual([]);
    expect(page.find('a.link-card').properties.href).toBe('https://www.youtube.com/watch?v=a');
    expect(page.text('.link-card-detail')).toBe('youtube.com');
  });
});

describe('containers', () => {
  test('with tabs are radio buttons of one group, of which the first is checked', () => {
    const page = rendered(
      '{% tabs %}\n{% tab title="A" %}\none\n{% endtab %}\n{% tab title="B" %}\ntwo\n{% endtab %}\n{% endtabs %}',
    );
    const inputs = page.all('label > input[type=radio]').map(({ properties }) => properties);
    expect(inputs.map(({ checked }) => checked === true)).toEqual([true, false]);
    expect(new Set(inputs.map(({ name }) => name)).size).toBe(1);
    expect(page.all('label + .tab-panel')).toHaveLength(2);
    expect(page.features.tabs).toBe(true);
  });

  test('that expand work without scripts', () => {
    const page = rendered('<details>\n<summary>A <em>title</em></summary>\n\nBody\n\n</details>');
    expect(page.text('details > summary')).toBe('A title');
    expect(page.text('details > .expandable-body')).toBe('Body');
  });

  test('of steps are a list, and columns have their width', () => {
    const steps = rendered(
      '{% stepper %}\n{% step %}\n## A\n{% endstep %}\n{% step %}\nb\n{% endstep %}\n{% endstepper %}',
    );
    expect(steps.all('ol.stepper > li')).toHaveLength(2);
    const columns = rendered(
      '{% columns %}\n{% column width="33%" %}\na\n{% endcolumn %}\n{% column %}\nb\n{% endcolumn %}\n{% endcolumns %}',
    );
    expect(columns.find('.column').properties.className).toEqual(['column', 'width-35']);
  });

  test('of changes have dates in the language of the page', () => {
    const markdown =
      '{% updates %}\n{% update date="2026-03-14" tags="api" %}\nText\n{% endupdate %}\n{% endupdates %}';
    expect(rendered(markdown).text('time')).toBe('March 14, 2026');
    const page = rendered(markdown, { language: 'ja' });
    expect(page.text('time')).toBe('2026年3月14日');
    expect(page.find('time').properties.dateTime).toBe('2026-03-14');
    expect(page.text('.option')).toBe('api');
  });

  test('of prompts and integrations show their text', () => {
    expect(
      rendered('{% prompt description="Plan" %}\nPlan a trip.\n{% endprompt %}').text('.prompt-body'),
    ).toBe('Plan a trip.');
    expect(rendered('{% @mermaid/diagram content="graph TD" %}').text('.placeholder')).toBe(
      'mermaid/diagramgraph TD',
    );
  });
});

test('a tag that the contract does not define shows its values and its content', () => {
  const method =
    '{% method method="get" path="/a\\_b" %}\n{% parameter name="id" required=true %}\nThe ID.\n{% endparameter %}\n{% endmethod %}';
  const page = rendered(method);
  expect(page.all('p').map(textContent)).toEqual(['get · /a_b', 'id · required', 'The ID.']);
  expect(rendered('{% raw %}\nx\n{% endraw %}').all('.placeholder')).toEqual([]);
});

describe('tables', () => {
  test('have header cells for their columns, and scroll with the keyboard', () => {
    const page = rendered('| A | B |\n| - | -: |\n| 1 | 2 |');
    expect(page.all('th[scope=col]').map(({ properties }) => properties.className)).toEqual([
      undefined,
      ['align-end'],
    ]);
    expect(page.find('div.table').properties).toMatchObject({
      role: 'region',
      tabIndex: 0,
      ariaLabel: 'Table: A, B',
    });
  });

  test('show options, check boxes and the titles of pages', () => {
    const page = rendered(
      '<table><thead><tr><th data-type="checkbox">A</th><th data-type="select">B<select><option value="o1" label="Stable" color="green"></option></select></th><th data-type="content-ref">C</th></tr></thead><tbody><tr><td>true</td><td><span data-option="o1">Stable</span></td><td><a href="ports.md">ports.md</a></td></tr></tbody></table>',
      { targets },
    );
    expect(page.find('td .checkbox').properties.ariaLabel).toBe('Done');
    expect(page.find('td .option').properties.className).toContain('background-green');
    expect(page.text('td a')).toBe('Ports');
  });

  test('as cards are a list, in which the whole card leads to its target', () => {
    const page = rendered(
      '<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="image"></th></tr></thead><tbody><tr><td><strong>A</strong></td><td>Text</td><td><a href="ports.md">x</a></td><td><a href="boat.png">y</a></td></tr></tbody></table>',
      { targets },
    );
    expect(page.all('ul.cards > li.card')).toHaveLength(1);
    expect(page.find('a.card-link').properties.href).toBe('/ports');
    expect(page.text('a.card-link')).toBe('A');
    expect(page.find('img.card-cover').properties.src).toBe('/boat.png');
    expect(page.text('.card-text')).toBe('Text');
  });
});

test('a text that exceeds a limit is shown as written, with a note', () => {
  const page = rendered(`${'> '.repeat(500)}deep *text*`);
  expect(page.text('.verbatim pre')).toContain('deep *text*');
  expect(page.text('.verbatim-note')).not.toBe('');
  expect(page.all('em')).toEqual([]);
});

test('comments are not part of the page', () => {
  expect(rendered('a <!-- secret --> b\n\n<!-- secret -->').html).not.toContain('secret');
});

test('the excerpt is the start of the text, cut between words', () => {
  expect(rendered('# Title\n\nBoats *float*.\n\n* On water').excerpt).toBe('Boats float. On water');
  const { excerpt } = rendered('word '.repeat(100));
  expect(excerpt).toMatch(/word…$/);
  expect(excerpt.length).toBeLessThanOrEqual(200);
});

test('an operation of an old repository shows its method, its parameters and its responses', () => {
  const page = rendered(
    [
      '{% api-method method="post" host="https://api.example" path="/a\\_b" %}',
      '{% api-method-summary %}\nCreate\n{% endapi-method-summary %}',
      '{% api-method-spec %}\n{% api-method-request %}\n{% api-method-headers %}',
      '{% api-method-parameter name="X-Key" type="string" required=true %}\nThe key.\n{% endapi-method-parameter %}',
      '{% api-method-parameter name="X-Trace" type="string" %}\n{% endapi-method-parameter %}',
      '{% endapi-method-headers %}\n{% endapi-method-request %}\n{% api-method-response %}',
      '{% api-method-response-example httpCode=200 %}\nDone.\n{% endapi-method-response-example %}',
      '{% api-method-response-example httpCode=404 %}\nMissing.\n{% endapi-method-response-example %}',
      '{% endapi-method-response %}\n{% endapi-method-spec %}\n{% endapi-method %}',
    ].join('\n'),
  );
  expect(textContent(page.find('p.operation'))).toBe('POST https://api.example/a_b');
  expect(page.all('tbody tr').map(textContent)).toEqual(['X-Key (required)stringThe key.', 'X-Tracestring']);
  expect(textContent(page.find('.tabs'))).toMatch(/200.*404.*Done\..*Missing\.|200.*Done\..*404.*Missing\./s);
});

test('elements without a form of their own show their content, and nothing of their tags', () => {
  const page = rendered(
    'x <small>a</small> <abbr title="t">b</abbr> <q>c</q> d<wbr>e <input type="checkbox"> <ruby>f<rt>g</rt></ruby>\n\n' +
      '<style>p {}</style>\n\n<form action="/x"><p>h</p></form>',
  );
  expect(page.all('p').map(textContent)).toEqual(['x a b “c” de ☐ fg', 'h']);
  expect(page.all('.raw')).toEqual([]);
});

test('a drawing is an image, in which scripts do not run', () => {
  const page = rendered('<svg width="10"><title>Plan</title><script>alert(1)</script><path d="M0 0"/></svg>');
  const { src, alt } = page.find('img').properties;
  expect(alt).toBe('Plan');
  const svg = decodeURIComponent(String(src).replace('data:image/svg+xml,', ''));
  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="10">.*<path d="M0 0"\/><\/svg>$/,
  );
  expect(page.all('script')).toEqual([]);
  // Too large for the URL of an image.
  const large = rendered(`<svg><title>Plan</title><path d="${'M0 0'.repeat(600)}"/></svg>`);
  expect(large.all('img')).toEqual([]);
  expect(large.all('p').map(textContent)).toEqual(['Plan']);
});

test('an image in its URL is shown in the forms that browsers know as images', () => {
  expect(rendered('![a](data:image/png;base64,iVBORw0KGgo=)').find('img').properties.src).toMatch(
    /^data:image/,
  );
  for (const url of [
    'data:text/html,<script>',
    'data:image/svg+xml,<svg onload="x">',
    'javascript:alert(1)',
  ]) {
    expect(rendered(`<img src="${url.replaceAll('"', '&quot;')}">`).all('img'), url).toEqual([]);
  }
});
