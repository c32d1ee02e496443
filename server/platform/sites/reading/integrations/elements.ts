/**
 * Renders the elements of a component of an integration as HTML. Everything is a form: it works without scripts. Texts
 * are escaped, addresses have an allowed scheme, and there are no inline styles, so that an integration adds no markup
 * of its own.
 */
import type { components } from '../../../../../generated/schema.d.ts';
import { type Html, html } from '../../../../contract/docs/html.ts';
import { contentIcon } from '../templates/icons.ts';
import { boundText, type ElementState, resolveBindings } from './bindings.ts';
import {
  type ElementContext,
  MAX_BLOCK_ELEMENTS,
  MAX_ELEMENT_DEPTH,
  offer,
  webAddress,
} from './element-context.ts';
import { FULL_WIDTH, heightOf, imageHtml, linkHtml, noteHtml, textHtml } from './inlines.ts';
import { buttonHtml, inputHtml, isInput, pressHtml } from './inputs.ts';

type Schemas = components['schemas'];
type RenderElement = Schemas['RenderElement'];
type RenderRoot = Schemas['RenderRoot'];
/** Returns the Markdown and the code of a component, which are rendered in a thread. */
export function textsIn(root: RenderRoot, state: ElementState): string[] {
  const texts: string[] = [];
  const visit = (value: unknown) => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (typeof value === 'object' && value !== null) {
      // Elements were checked: `type` distinguishes them.
      const element = value as RenderElement;
      if (element.type === 'markdown') {
        texts.push(boundText(element.content, state));
      } else if (element.type === 'codeblock' && element.state === undefined) {
        texts.push(fenced(element, state));
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
${noteHtml(subtitle, context, 'subtitle')}
${content}
${submit && html`<footer>${childrenHtml([submit], context)}</footer>`}
</section>`;
}

type Child = Schemas['RenderChild'] | Schemas['StepperElement'];

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
      return markdownHtml(boundText(element.content, context.state), context);
    case 'codeblock':
      return html`${childrenHtml(element.header ?? [], context)}${codeHtml(element, context)}${childrenHtml([...(element.buttons ?? []), ...(element.footer ?? [])], context)}`;
    case 'webframe':
      return webframeHtml(element, context);
    case 'input':
      return html`<div class="block-input"><label>${element.label}${childrenHtml([element.element], context)}</label>${noteHtml(element.hint, context)}</div>`;
    case 'stepper':
      return stepperHtml(element, context);
    case 'step':
      return html`<section class="block-step">${element.title !== undefined && html`<h3>${element.title}</h3>`}${childrenHtml(element.children, context)}</section>`;
  }
}

const markdownHtml = (text: string, { texts }: ElementContext): Html =>
  texts.get(text) ?? html`<p>${text}</p>`;

function cardHtml(card: Schemas['CardElement'], context: ElementContext): Html {
  const { title, hint, icon, onPress, children = [], buttons = [] } = card;
  const heading = title === undefined ? undefined : html`<strong>${title}</strong>`;
  return html`<div class="block-card">
${typeof icon === 'string' ? contentIcon(icon) : icon && imageHtml(icon, context)}
<div class="block-card-body">
${heading && html`<p>${onPress ? pressHtml(onPress, heading, context) : heading}</p>`}
${noteHtml(hint, context)}
${childrenHtml(children, context)}
</div>
${childrenHtml(buttons, context)}
</div>`;
}

/** A frame has an origin of its own if it has the address of this site, so that its scripts cannot read the site. */
function webframeHtml(element: Schemas['WebframeElement'], context: ElementContext): Html {
  const { source, aspectRatio = 16 / 9, buttons = [], data } = element;
  const src = webAddress(source.url, context);
  context.count.frames += 1;
  const posted = data && JSON.stringify(resolveBindings(data, context.state));
  return html`${
    src !== undefined &&
    html`<iframe src="${src}" title="${new URL(src).hostname}" loading="lazy" sandbox="allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox" width="${FULL_WIDTH}" height="${heightOf(aspectRatio)}"${posted !== undefined && html` data-state="${posted}"`}></iframe>`
  }${childrenHtml(buttons, context)}`;
}

function stepperHtml(stepper: Schemas['StepperElement'], context: ElementContext): Html {
  const { activeStep, children, onStepChange, onComplete } = stepper;
  const active = children.findIndex(({ id }) => id === activeStep);
  const following = children[active + 1];
  const steps = children.slice(0, 50).map(({ id, title }) => {
    const isActive = id === activeStep;
    const label = html`${title ?? id}`;
    const action = { ...onStepChange, step: id };
    return html`<li${isActive && html` aria-current="step"`}>${isActive ? label : buttonHtml(action, label, context)}</li>`;
  });
  return html`<ol class="block-steps">${steps}</ol>${childrenHtml(
    children.slice(active, active + 1),
    context,
  )}${
    children[active]?.next &&
    inputHtml(
      {
        type: 'button',
        style: 'primary',
        label: following ? context.labels.next : context.labels.apply,
        onPress: following ? { ...onStepChange, step: following.id } : onComplete,
      },
      context,
    )
  }`;
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
  const code = boundText(content, context.state);
  return context.texts.get(fenced(element, context.state)) ?? html`<pre><code>${code}</code></pre>`;
}

/** Returns a code block as Markdown. */
function fenced({ content, syntax = '' }: Schemas['CodeBlockElement'], state: ElementState): string {
  const code = boundText(content, state);
  const longest = (code.match(/`+/g) ?? []).reduce((max, { length }) => Math.max(max, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${/^[\w#+.-]*$/.test(syntax) ? syntax : ''}\n${code}\n${fence}`;
}
