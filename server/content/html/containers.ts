/** Renders blocks that contain blocks: hints, tabs, steps, columns, changelogs, prompts and expandable blocks. */
import type { BlockOf } from '../markdown/document.ts';
import { supportedLanguage } from './cards.ts';
import { generatedId, type RenderContext, withWidth } from './context.ts';
import { within } from './direction.ts';
import { otherAnchors } from './headings.ts';
import { iconHtml, labelHtml } from './icons.ts';
import { widthClass } from './images.ts';
import { EMPTY, element, type Html, text } from './markup.ts';

const HINT_ICONS = {
  info: 'circle-info',
  success: 'circle-check',
  warning: 'triangle-exclamation',
  danger: 'circle-exclamation',
} as const;

/** Renders a hint. Its purpose is an icon and a word, which is not only visible as a color. */
export function renderHint(context: RenderContext, block: BlockOf<'hint'>): Html {
  const { dir, inner } = within(context, block);
  const style = Object.hasOwn(HINT_ICONS, block.data.style) ? block.data.style : 'info';
  const icon = iconHtml(context.page, block.data.icon) || iconHtml(context.page, HINT_ICONS[style]);
  return element(
    'div',
    { class: `hint hint-${style}`, role: 'note', dir },
    element('p', { class: 'hint-label' }, icon, element('span', {}, text(context.page.labels[style]))),
    element('div', { class: 'hint-body' }, context.blocks(inner, block.nodes)),
  );
}

/** Renders tabs as radio buttons, which browsers operate without scripts: arrow keys select the next tab. */
export function renderTabs(context: RenderContext, block: BlockOf<'tabs'>): Html {
  const { page } = context;
  page.features.tabs = true;
  const { dir, inner } = within(context, block);
  const group = generatedId(page, 'tabs');
  return element(
    'div',
    {
      class: withWidth('tabs', block.data.fullWidth),
      role: 'group',
      'aria-label': page.labels.tabs,
      dir,
    },
    ...block.nodes.flatMap((tab, at) => [
      element(
        'label',
        { id: page.anchors.next(tab)?.id, class: 'tab' },
        element('input', { type: 'radio', name: group, checked: at === 0 }),
        labelHtml(context.page, tab.data),
        text(tab.data.title),
      ),
      element('div', { class: 'tab-panel' }, context.blocks({ ...inner, isAside: true }, tab.nodes)),
    ]),
  );
}

/** Renders blocks that are closed at first. */
export function renderExpandable(context: RenderContext, block: BlockOf<'expandable'>): Html {
  const { dir, inner } = within(context, block);
  const anchor = context.page.anchors.next(block);
  return element(
    'details',
    { id: anchor?.id, class: 'expandable', open: block.data.open === true, dir },
    element(
      'summary',
      {},
      otherAnchors(anchor?.others ?? []),
      context.inlines({ ...inner, isInteractive: true }, block.data.title),
    ),
    element(
      'div',
      { class: 'expandable-body' },
      context.blocks({ ...inner, isAside: true }, block.data.body),
    ),
  );
}

/** Renders steps as an ordered list. */
export function renderStepper(context: RenderContext, block: BlockOf<'stepper'>): Html {
  const { dir, inner } = within(context, block);
  return element(
    'ol',
    { class: 'stepper', role: 'list', dir },
    ...block.nodes.map((step) => element('li', { class: 'step' }, context.blocks(inner, step.nodes))),
  );
}

/** Renders columns, which are one below the other on small screens. */
export function renderColumns(context: RenderContext, block: BlockOf<'columns'>): Html {
  return element(
    'div',
    { class: 'columns' },
    ...block.nodes.map(({ data, nodes }) =>
      element(
        'div',
        { class: ['column', widthClass(data.width)].filter(Boolean).join(' ') },
        context.blocks(context, nodes),
      ),
    ),
  );
}

const DATE_STYLES: ReadonlyMap<string | undefined, 'full' | 'long' | 'medium' | 'short'> = new Map([
  ['full', 'full'],
  ['long', 'long'],
  ['medium', 'medium'],
  ['short', 'short'],
  ['numeric', 'short'],
]);

function renderDate(date: string, language: string, format: string | undefined): Html {
  const [day] = /^\d{4}-\d{2}-\d{2}$/.exec(date.trim()) ?? [];
  const time = day === undefined ? Number.NaN : Date.parse(day);
  if (day === undefined || Number.isNaN(time)) {
    return element('span', { class: 'update-date' }, text(date));
  }
  const dateStyle = DATE_STYLES.get(format) ?? 'long';
  const formatter = new Intl.DateTimeFormat(supportedLanguage(language), { dateStyle, timeZone: 'UTC' });
  return element('time', { class: 'update-date', datetime: day }, text(formatter.format(time)));
}

/** Renders the entries of a changelog, with their dates and tags. */
export function renderUpdates(context: RenderContext, block: BlockOf<'updates'>): Html {
  const { language } = context.page;
  return element(
    'div',
    { class: 'updates' },
    ...block.nodes.map(({ data, nodes }) =>
      element(
        'article',
        { class: 'update' },
        element(
          'div',
          { class: 'update-header' },
          data.date === undefined ? EMPTY : renderDate(data.date, language, block.data.format),
          ...(data.tags ?? []).map((tag) => element('span', { class: 'option' }, text(tag))),
        ),
        element('div', { class: 'update-body' }, context.blocks(context, nodes)),
      ),
    ),
  );
}

/** Renders a prompt: its blocks, and a button that copies their text, which a script shows. */
export function renderPrompt(context: RenderContext, block: BlockOf<'prompt'>): Html {
  const { page } = context;
  page.features.code = true;
  const { dir, inner } = within(context, block);
  const { description, icon } = block.data;
  return element(
    'figure',
    { class: 'prompt code', dir },
    element(
      'figcaption',
      { class: 'code-header code-titled' },
      element(
        'span',
        { class: 'code-title' },
        iconHtml(context.page, icon ?? 'wand-magic-sparkles'),
        text(description === undefined ? '' : ` ${description}`),
      ),
      element('button', { type: 'button', class: 'code-copy', hidden: true }, text(page.labels.copy)),
    ),
    element('div', { class: 'prompt-body' }, context.blocks({ ...inner, isAside: true }, block.nodes)),
  );
}
