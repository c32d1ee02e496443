/**
 * Renders the inputs of a component as fields of a form, and reads the form. The names of fields contain the kind of the
 * input and the key of its state entry.
 */
import type { components } from '../../../../../generated/schema.d.ts';
import { type Html, html } from '../../../../contract/docs/html.ts';
import { contentIcon } from '../templates/icons.ts';
import { boundUrl } from './bindings.ts';
import { type ElementContext, offer, webAddress } from './element-context.ts';

type Schemas = components['schemas'];
type Action = Schemas['RenderAction'];

type Input =
  | Schemas['TextInputElement']
  | Schemas['SelectElement']
  | Schemas['SwitchElement']
  | Schemas['RadioElement']
  | Schemas['CheckboxElement']
  | Schemas['ButtonElement'];

const INPUTS: ReadonlySet<string> = new Set(['textinput', 'select', 'switch', 'radio', 'checkbox', 'button']);

export const isInput = <Element extends { type: string }>(element: Element): element is Element & Input =>
  INPUTS.has(element.type);

/** Maximum number of options of a selection. */
export const MAX_SELECT_OPTIONS = 500;

/** Renders an input with its value in the state. */
export function inputHtml(input: Input, context: ElementContext): Html {
  const value =
    'state' in input && Object.hasOwn(context.state, input.state) ? context.state[input.state] : undefined;
  switch (input.type) {
    case 'textinput': {
      const text = String(value ?? input.initialValue ?? '');
      const { multiline, inputType = 'text', placeholder, disabled } = input;
      const name = `text:${input.state}`;
      return multiline
        ? html`<textarea name="${name}" rows="5" placeholder="${placeholder}"${disabled && html` disabled`}>${text}</textarea>`
        : html`<input type="${inputType}" name="${name}" value="${inputType === 'password' ? '' : text}" placeholder="${placeholder}"${disabled && html` disabled`}>`;
    }
    case 'select':
      return html`${selectHtml(input, value, context)}${changeHtml(input.onValueChange, context)}`;
    case 'switch': {
      const isOn = typeof value === 'boolean' ? value : input.initialValue === true;
      return html`${checkHtml('switch', input, true, isOn)}${changeHtml(input.onValueChange, context, input.confirm)}`;
    }
    case 'radio':
      return html`<input type="radio" name="radio:${input.state}" value="${JSON.stringify(input.value)}"${value === input.value && html` checked`}${input.disabled && html` disabled`}>${changeHtml(input.onValueChange, context, input.confirm)}`;
    case 'checkbox': {
      const isChecked = Array.isArray(value) ? value.includes(input.value) : value === input.value;
      return html`${checkHtml('check', input, input.value, isChecked)}${changeHtml(input.onValueChange, context, input.confirm)}`;
    }
    case 'button':
      return actionButtonHtml(input, context);
  }
}

function selectHtml(
  { state, options, multiple, placeholder, initialValue, disabled, acceptInput }: Schemas['SelectElement'],
  value: unknown,
  context: ElementContext,
): Html {
  const chosen = [value ?? initialValue ?? []].flat();
  const listed = optionsOf(options, context).slice(0, MAX_SELECT_OPTIONS);
  const off = disabled && html` disabled`;
  if (acceptInput && !multiple) {
    const list = `options-${state}`;
    return html`<input type="text" name="select:${state}" list="${list}" value="${chosen.map(String)}" placeholder="${placeholder}"${off}>
<datalist id="${list}">${listed.map(({ id, label }) => html`<option value="${id}">${label}</option>`)}</datalist>`;
  }
  return html`<select name="${multiple ? 'multi' : 'select'}:${state}"${multiple && html` multiple`}${off}>
${!multiple && html`<option value="">${placeholder}</option>`}
${listed.map(({ id, label }) => html`<option value="${id}"${chosen.includes(id) && html` selected`}>${label}</option>`)}
</select>`;
}

/** Options that are in the element, or at a URL. What a source of the platform lists is not for visitors. */
function optionsOf(
  options: Schemas['SelectElement']['options'],
  context: ElementContext,
): readonly Pick<Schemas['SelectOption'], 'id' | 'label'>[] {
  if (Array.isArray(options)) {
    return options;
  }
  return 'url' in options ? (context.options.get(boundUrl(options.url, context)) ?? []) : [];
}

/** Forms omit what is not checked, so each check has an empty value before it. */
const checkHtml = (
  kind: 'switch' | 'check',
  { state, disabled }: { state: string; disabled?: boolean },
  value: string | number | true,
  isChecked: boolean,
): Html =>
  html`<input type="hidden" name="${kind}:${state}" value=""${disabled && html` disabled`}><input type="checkbox" name="${kind}:${state}" value="${JSON.stringify(value)}"${isChecked && html` checked`}${disabled && html` disabled`}>`;

/** A button for an action that follows a change. A script presses it. */
const changeHtml = (
  action: Action | undefined,
  context: ElementContext,
  confirm?: Schemas['RenderConfirmation'],
): Html | undefined =>
  action &&
  html`<button type="submit" name="action" value="${offer(context, action, confirm)}" class="block-apply">${context.labels.apply}</button>`;

function actionButtonHtml(button: Schemas['ButtonElement'], context: ElementContext): Html {
  const { onPress, label, icon, trailingIcon, tooltip, style = 'secondary', disabled, confirm } = button;
  const image = icon === undefined ? undefined : contentIcon(icon);
  const content = html`${image}${label ?? (image ? undefined : tooltip)}${trailingIcon !== undefined && contentIcon(trailingIcon)}`;
  const name = label === undefined ? tooltip : undefined;
  const attributes = html` class="block-button ${style}"${tooltip !== undefined && html` title="${tooltip}"`}${name !== undefined && html` aria-label="${name}"`}`;
  if (isOpeningUrl(onPress)) {
    const href = webAddress(onPress.url, context);
    return html`${href !== undefined && html`<a${attributes} href="${href}" target="_blank" rel="noopener">${content}</a>`}`;
  }
  const isDisabled = disabled === true || EDITING.has(onPress.action);
  return html`<button${attributes} type="submit" name="action" value="${offer(context, onPress, confirm)}"${isDisabled && html` disabled`}>${content}</button>`;
}

const isOpeningUrl = (action: Action): action is Schemas['OpenUrlAction'] =>
  action.action === '@ui.url.open' && 'url' in action && typeof action.url === 'string';

/** Actions that change the page, which visitors cannot. */
export const EDITING: ReadonlySet<string> = new Set(['@editor.node.updateProps', '@link.unfurl']);

/** Renders content that triggers an action. */
export function pressHtml(action: Action, content: Html, context: ElementContext): Html {
  if (isOpeningUrl(action)) {
    const href = webAddress(action.url, context);
    return href === undefined
      ? content
      : html`<a href="${href}" target="_blank" rel="noopener">${content}</a>`;
  }
  return EDITING.has(action.action) ? content : buttonHtml(action, content, context);
}

/** Renders a button that looks like a link. */
export const buttonHtml = (action: Action, content: Html, context: ElementContext): Html =>
  html`<button class="block-link" type="submit" name="action" value="${offer(context, action)}">${content}</button>`;

/** Reads the values of the inputs in a form into the state of a component. */
export function readInputs(
  form: URLSearchParams,
  state: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = new Map(Object.entries(state));
  // Grouped at once: each `getAll` would read the whole form.
  for (const [name, fields] of Map.groupBy(form, ([field]) => field)) {
    const [, kind, key = ''] = /^(\w+):(.*)$/s.exec(name) ?? [];
    const read = kind === undefined ? undefined : READERS.get(kind);
    if (read && key !== '__proto__') {
      const values = fields.map(([, value]) => value);
      entries.set(key, read(values, entries.get(key)));
    }
  }
  return Object.fromEntries(entries);
}

type ReadValue = (values: string[], previous: unknown) => unknown;

const READERS: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>([
  ['text', ([text]) => text ?? ''],
  ['select', ([option]) => option ?? ''],
  ['multi', (options) => options],
  ['switch', (values) => values.includes('true')],
  ['radio', ([value = '']) => parsed(value)],
  [
    'check',
    (values, previous) => {
      const checked = values.filter((value) => value !== '').map(parsed);
      // Several checkboxes share a key if their state is a list.
      const isList = Array.isArray(previous) || values.filter((value) => value === '').length > 1;
      return isList ? checked : (checked[0] ?? null);
    },
  ],
]);

/** Parses a value of a radio button or checkbox. */
function parsed(value: string): unknown {
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === 'string' || typeof read === 'number' ? read : undefined;
  } catch {
    return undefined;
  }
}
