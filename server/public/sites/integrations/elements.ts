/**
 * Renders the elements of a component of an integration as HTML. Everything is a form: it works without scripts. Texts
 * are escaped, addresses have an allowed scheme, and there are no inline styles, so that an integration adds no markup
 * of its own.
 */
import type { components } from '../../../../generated/schema.d.ts';
import { type Html, html } from '../../../contract/html.ts';
import { contentIcon } from '../templates/icons.ts';
import { type ElementContext, offer, webAddress } from './element-context.ts';
import { buttonHtml, inputHtml, isInput, pressHtml } from './inputs.ts';

type Schemas = components['schemas'];
type RenderElement = Schemas['RenderElement'];
type RenderRoot = Schemas['RenderRoot'];
type RenderInline = Schemas['RenderInline'];

/** Maximum number of elements of a component. The rest is not shown. */
export const MAX_BLOCK_ELEMENTS = 2000;
/** Maximum nesting depth of the elements of a component. Deeper ones are not shown. */
export const MAX_ELEMENT_DEPTH = 30;

/** Returns the Markdown and the code of a component, which are rendered in a thread. */
export function textsIn(root: RenderRoot): string[] {
  const texts: string[] = [];
  const visit = (value: unknown) => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (typeof value === 'object' && value !== null) {
      // Elements were checked: `type` distinguishes them.
      const element = value as RenderElement;
      if (element.type === 'markdown') {
        texts.push(element.content);
      } else if (element.type === 'codeblock' && element.state === undefined) {
        texts.push(fenced(element));
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(root);
  return texts;
}

/** Renders a component for visitors. */
export function rootHtml(root: RenderRoot, context: ElementContext): Html {
  const content = childrenHtml(root.children, context);
  if (root.type !== 'modal') {
    // The menu of a block is for its editors.
    return content;
  }
  const { title, subtitle, submit, returnValue } = root;
  const close = { action: '@ui.modal.close', ...(returnValue && { returnValue }) } as const;
  return html`<section class="block-modal" aria-label="${title}">
<header>${title !== undefined && html`<h2>${title}</h2>`}<button class="block-button secondary" type="submit" name="action" value="${offer(context, close)}">${context.labels.close}</button></header>
${subtitle !== undefined && html`<p class="block-subtitle">${subtitle}</p>`}
${content}
${submit && html`<footer>${childrenHtml([submit], context)}</footer>`}
</section>`;
}

type Child = RenderElement | Schemas['StepElement'] | string;

function childrenHtml(children: readonly Child[], context: ElementContext): Html {
  const inner = { ...context, depth: context.depth + 1 };
  const parts: Html[] = [];
  for (const child of inner.depth > MAX_ELEMENT_DEPTH ? [] : children) {
    context.count.elements += 1;
    if (context.count.elements > MAX_BLOCK_ELEMENTS) {
      break;
    }
    parts.push(typeof child === 'string' ? html`${child}` : elementHtml(child, inner));
  }
  return html`${parts}`;
}

function elementHtml(element: Exclude<Child, string>, context: ElementContext): Html {
  if (isInput(element)) {
    return inputHtml(element, context);
  }
  switch (element.type) {
    case 'vstack':
    case 'hstack':
      return html`<div class="block-${element.type}${element.align && ` align-${element.align}`}">${childrenHtml(element.children, context)}</div>`;
    case 'box':
      return html`<div class="block-box box-${element.style ?? 'default'}${(element.grow ?? 0) > 0 && ' grow'}">${childrenHtml(element.children, context)}</div>`;
    case 'divider':
      return element.style === 'line'
        ? html`<hr class="space-${element.size ?? 'medium'}">`
        : html`<div class="space-${element.size ?? 'medium'}"></div>`;
    case 'card':
      return cardHtml(element, context);
    case 'hint':
      return html`<div class="hint hint-info" role="note"><div class="hint-body">${childrenHtml(element.children, context)}</div></div>`;
    case 'text':
      return html`<p>${textHtml(element, context)}</p>`;
    case 'link':
      return html`<p>${linkHtml(element, context)}</p>`;
    case 'image':
      return imageHtml(element, context);
    case 'markdown':
      return context.texts.get(element.content) ?? html`<p>${element.content}</p>`;
    case 'codeblock':
      return html`${childrenHtml(element.header ?? [], context)}${codeHtml(element, context)}${childrenHtml([...(element.buttons ?? []), ...(element.footer ?? [])], context)}`;
    case 'webframe':
      return webframeHtml(element, context);
    case 'input':
      return html`<div class="block-input"><label>${element.label}${childrenHtml([element.element], context)}</label>${hintHtml(element.hint, context)}</div>`;
    case 'stepper':
      return stepperHtml(element, context);
    case 'step':
      return html`<section class="block-step">${element.title !== undefined && html`<h3>${element.title}</h3>`}${childrenHtml(element.children, context)}${element.next && childrenHtml([element.next], context)}</section>`;
  }
}

function cardHtml(card: Schemas['CardElement'], context: ElementContext): Html {
  const { title, hint, icon, onPress, children = [], buttons = [] } = card;
  const heading = title === undefined ? undefined : html`<strong>${title}</strong>`;
  return html`<div class="block-card">
${typeof icon === 'string' ? contentIcon(icon) : icon && imageHtml(icon, context)}
<div class="block-card-body">
${heading && html`<p>${onPress ? pressHtml(onPress, heading, context) : heading}</p>`}
${hintHtml(hint, context)}
${childrenHtml(children, context)}
</div>
${childrenHtml(buttons, context)}
</div>`;
}

const hintHtml = (hint: string | readonly Schemas['TextElement'][] | undefined, context: ElementContext) =>
  hint !== undefined &&
  html`<p class="block-note">${typeof hint === 'string' ? hint : hint.map((text) => textHtml(text, context))}</p>`;

const STYLED = {
  bold: (content: Html) => html`<strong>${content}</strong>`,
  italic: (content: Html) => html`<em>${content}</em>`,
  code: (content: Html) => html`<code>${content}</code>`,
  strikethrough: (content: Html) => html`<del>${content}</del>`,
} as const;

function textHtml({ children, style }: Schemas['TextElement'], context: ElementContext): Html {
  const content = inlinesHtml(children, context);
  return style ? STYLED[style](content) : content;
}

function inlinesHtml(inlines: readonly RenderInline[], outer: ElementContext): Html {
  const context = { ...outer, depth: outer.depth + 1 };
  const parts = context.depth > MAX_ELEMENT_DEPTH ? [] : inlines;
  return html`${parts.map((inline) => inlineHtml(inline, context))}`;
}

function inlineHtml(inline: RenderInline, context: ElementContext): Html {
  context.count.elements += 1;
  if (typeof inline === 'string') {
    return html`${inline}`;
  }
  if (context.count.elements > MAX_BLOCK_ELEMENTS) {
    return html``;
  }
  switch (inline.type) {
    case 'text':
      return textHtml(inline, context);
    case 'link':
      return linkHtml(inline, context);
    case 'image':
      return imageHtml(inline, context);
  }
}

function linkHtml({ target, children }: Schemas['RenderLinkElement'], context: ElementContext): Html {
  const content = inlinesHtml(children, context);
  const href = webAddress(target.url, context);
  return href === undefined ? content : html`<a href="${href}" target="_blank" rel="noopener">${content}</a>`;
}

/** Width of images and frames in an attribute, which browsers reduce to the available space. */
const FULL_WIDTH = 1000;

const heightOf = (ratio: number): number =>
  Math.round(FULL_WIDTH / Math.min(20, Math.max(0.05, Number.isFinite(ratio) ? ratio : 1)));

function imageHtml({ source, aspectRatio }: Schemas['ImageElement'], context: ElementContext): Html {
  const src = webAddress(source.url, context);
  return src === undefined
    ? html``
    : html`<img src="${src}" alt="" loading="lazy" width="${FULL_WIDTH}" height="${heightOf(aspectRatio)}">`;
}

/** A frame has an origin of its own if it has the address of this site, so that its scripts cannot read the site. */
function webframeHtml(element: Schemas['WebframeElement'], context: ElementContext): Html {
  const { source, aspectRatio = 16 / 9, buttons = [], data } = element;
  const src = webAddress(source.url, context);
  const posted = data && JSON.stringify(resolveBindings(data, context.state));
  return html`${
    src !== undefined &&
    html`<iframe src="${src}" title="${new URL(src).hostname}" loading="lazy" sandbox="allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox" width="${FULL_WIDTH}" height="${heightOf(aspectRatio)}"${posted !== undefined && html` data-state="${posted}"`}></iframe>`
  }${childrenHtml(buttons, context)}`;
}

function stepperHtml(stepper: Schemas['StepperElement'], context: ElementContext): Html {
  const { activeStep, children, onStepChange } = stepper;
  const steps = children.slice(0, 50).map(({ id, title }) => {
    const isActive = id === activeStep;
    const label = html`${title ?? id}`;
    const action = { ...onStepChange, step: id };
    return html`<li${isActive && html` aria-current="step"`}>${isActive ? label : buttonHtml(action, label, context)}</li>`;
  });
  return html`<ol class="block-steps">${steps}</ol>${childrenHtml(
    children.filter(({ id }) => id === activeStep),
    context,
  )}`;
}

function codeHtml(element: Schemas['CodeBlockElement'], context: ElementContext): Html {
  const { state, content } = element;
  if (state !== undefined) {
    return inputHtml(
      {
        type: 'textinput',
        state,
        multiline: true,
        ...(typeof content === 'string' && { initialValue: content }),
      },
      context,
    );
  }
  const code = typeof content === 'string' ? content : String(context.state[content.$state] ?? '');
  return context.texts.get(fenced(element)) ?? html`<pre><code>${code}</code></pre>`;
}

/** Returns a code block as Markdown. */
function fenced({ content, syntax = '' }: Schemas['CodeBlockElement']): string {
  const code = typeof content === 'string' ? content : '';
  const longest = (code.match(/`+/g) ?? []).reduce((max, { length }) => Math.max(max, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${/^[\w#+.-]*$/.test(syntax) ? syntax : ''}\n${code}\n${fence}`;
}

/** Replaces the bindings of a value by the entries of the state that they refer to. */
export function resolveBindings(value: unknown, state: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolveBindings(item, state));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if ('$state' in value && typeof value.$state === 'string') {
    return Object.hasOwn(state, value.$state) ? state[value.$state] : undefined;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolveBindings(item, state)]),
  );
}
