/** Enters settings, in a form of the integration or of the service, and connects accounts. */
import type { components } from '../../../../generated/schema.d.ts';
import type { Property, Settings } from '../checkout.ts';
import {
  type AnyElement,
  elementsIn,
  resolveBindings,
  urlOf,
  type VisibleForm,
  visibleForm,
} from '../elements.ts';
import { type Level, levelsOf, readLevel, targetAt, writeLevel } from '../installations.ts';
import { connectAccount } from '../oauth.ts';
import { render } from '../render.ts';
import { NeedsService, type Outcome, require, type Step, type Subject } from '../step.ts';

type Schemas = components['schemas'];

/** Maximum number of inputs and buttons that a person uses in one form. */
const MAX_FORM_ACTIONS = 24;

/** Returns a value of a setting. */
export function valueFor(name: string, property: Property, { scenario }: Subject): unknown {
  if (scenario.settings && Object.hasOwn(scenario.settings, name)) {
    return scenario.settings[name];
  }
  if (property.default !== undefined) {
    return property.default;
  }
  return property.type === 'boolean'
    ? true
    : property.type === 'number'
      ? 7
      : (property.enum?.[0] ?? `interop-${name}`);
}

/** Returns whether a setting is a button that connects an account. */
const isConnection = (property: Property): property is Property & { callback_url: string } =>
  property.type === 'button' && property.callback_url !== undefined;

async function connect(subject: Subject): Promise<Outcome> {
  let connected = false;
  for (const level of levelsOf(subject)) {
    const settings = subject.manifest.configurations?.[level];
    for (const property of Object.values(settings?.properties ?? {})) {
      if (isConnection(property)) {
        const { publicEndpoint } = await readLevel(subject, level);
        await connectAccount(subject, level, publicEndpoint + property.callback_url);
        connected = true;
      }
    }
    if (settings?.componentId !== undefined) {
      const { url } = await openForm(subject, level, settings.componentId);
      if (url !== undefined) {
        requireReal(subject, 'oauth');
        await connectAccount(subject, level, url);
        connected = true;
      }
    }
  }
  return connected ? 'ok' : 'does not apply';
}

const requireReal = ({ scenario }: Subject, step: string): void => {
  const reason = scenario.needs?.[step];
  if (reason !== undefined) {
    throw new NeedsService(reason);
  }
};

async function configure(subject: Subject): Promise<Outcome> {
  const levels = levelsOf(subject);
  for (const level of levels) {
    const settings: Settings = subject.manifest.configurations?.[level] ?? {};
    if (settings.componentId !== undefined) {
      await fillForm(subject, level, settings.componentId);
    } else {
      await enterValues(subject, level, settings.properties ?? {});
    }
  }
  return levels.length > 0 ? 'ok' : 'does not apply';
}

/** Enters the values of the properties that are no buttons, as the form of the service does. */
async function enterValues(
  subject: Subject,
  level: Level,
  properties: Record<string, Property>,
): Promise<void> {
  const before = await readLevel(subject, level);
  const entered = Object.entries(properties)
    .filter(([, property]) => property.type !== 'button')
    .map(([name, property]) => [name, valueFor(name, property, subject)] as const);
  await writeLevel(subject, level, { ...before.configuration, ...Object.fromEntries(entered) });
  const { configuration, status } = await readLevel(subject, level);
  for (const [name, value] of entered) {
    require(configuration[name] === value, `the setting ${name} is not stored`);
  }
  require(status === 'active', `the status is ${status}`);
}

/** Renders the form of a level. Returns its result, and the URL of its button that connects an account. */
async function openForm(
  subject: Subject,
  level: Level,
  componentId: string,
  input: Pick<Schemas['RenderRequest'], 'state' | 'action'> = {},
): Promise<{ result: Schemas['RenderResult']; url: string | undefined }> {
  const { organization } = subject.service;
  const [account, space, site] = await Promise.all(
    (['account', 'space', 'site'] as const).map(async (each) =>
      each === 'account' || each === level ? await readLevel(subject, each) : undefined,
    ),
  );
  const context: Schemas['RenderContext'] =
    level === 'account'
      ? { type: 'configuration_account', theme: 'light', organizationId: organization }
      : level === 'space'
        ? { type: 'configuration_space', theme: 'light', spaceId: targetAt(subject, level) }
        : { type: 'configuration_site', theme: 'light', siteId: targetAt(subject, level) };
  const result = await render(subject, {
    componentId,
    props: {
      installation: { configuration: account?.configuration ?? {} },
      ...(space && { spaceInstallation: { configuration: space.configuration } }),
      ...(site && { siteInstallation: { configuration: site.configuration } }),
    },
    context,
    ...input,
  });
  const button = elementsIn(result).find(
    (element) =>
      element.type === 'button' &&
      element.onPress.action === '@ui.url.open' &&
      String(element.onPress.url).startsWith(subject.service.url),
  );
  const url = button?.type === 'button' && 'url' in button.onPress ? String(button.onPress.url) : undefined;
  return { result, url };
}

/** Fills in a form: each input once, with the actions of its value, then its last button. */
async function fillForm(subject: Subject, level: Level, componentId: string): Promise<void> {
  const before = await snapshot(subject, level);
  const entered = new Set<string>();
  let { result } = await openForm(subject, level, componentId);
  let state = result.type === 'element' ? { ...result.state } : {};
  let isComplete = false;
  for (let actions = 0; actions < MAX_FORM_ACTIONS && !isComplete; actions++) {
    const form = visibleForm(result);
    const input = form.elements.find((element) => isInput(element) && !entered.has(element.state));
    let action: Schemas['RenderAction'] | undefined;
    if (input && isInput(input)) {
      entered.add(input.state);
      state[input.state] = await valueOfInput(subject, input, state);
      action = 'onValueChange' in input ? input.onValueChange : undefined;
      if (!action) {
        continue;
      }
    } else {
      action = submission(form);
      if (!action && (await snapshot(subject, level)) !== before) {
        // Each input stores its value.
        return;
      }
      require(action !== undefined, 'the form has no button to press');
    }
    // Bindings are values of any type.
    const resolved = resolveBindings(action, state) as Schemas['TriggeredAction'];
    ({ result } = await openForm(subject, level, componentId, { state, action: resolved }));
    isComplete = result.type === 'complete';
    state = result.type === 'element' ? { ...result.state } : state;
    if (!input && (await snapshot(subject, level)) !== before) {
      return;
    }
  }
  requireReal(subject, 'configure');
  throw new Error(isComplete ? 'the form completes, but nothing is stored' : 'the form stores nothing');
}

/** Returns what is stored at a level and at that of the account. */
const snapshot = async (subject: Subject, level: Level): Promise<string> =>
  JSON.stringify(
    (await Promise.all([readLevel(subject, level), readLevel(subject, 'account')])).map(
      ({ configuration, externalIds }) => ({ configuration, externalIds }),
    ),
  );

type InputWithState = Extract<AnyElement, { type: 'textinput' | 'select' | 'switch' | 'radio' | 'checkbox' }>;

const isInput = (element: AnyElement): element is InputWithState =>
  ['textinput', 'select', 'switch', 'radio', 'checkbox'].includes(element.type) &&
  !('disabled' in element && element.disabled === true);

async function valueOfInput(
  { scenario }: Subject,
  input: InputWithState,
  state: Record<string, unknown>,
): Promise<unknown> {
  if (scenario.settings && Object.hasOwn(scenario.settings, input.state)) {
    return scenario.settings[input.state];
  }
  switch (input.type) {
    case 'textinput':
      return state[input.state] || `interop-${input.state}`;
    case 'select': {
      const { multiple = false } = input;
      const options = Array.isArray(input.options)
        ? input.options
        : 'url' in input.options
          ? await optionsAt(urlOf(input.options.url, state))
          : [];
      const [option] = options;
      require(option !== undefined, `the selection ${input.state} has no options`);
      return multiple ? options.map(({ id }) => id).slice(0, 1) : option?.id;
    }
    case 'radio':
      return input.value;
    default:
      return true;
  }
}

/** Retrieves options as the form does: a list, or one in `items`. */
async function optionsAt(url: string): Promise<{ id: string }[]> {
  const response = await fetch(url);
  require(response.ok, `the options at ${new URL(url).pathname} return ${response.status}: ${await response.clone().text()}`);
  // The script returns options, as the form requires.
  const value = (await response.json()) as { id: string }[] | { items: { id: string }[] };
  return Array.isArray(value) ? value : value.items;
}

/** Returns the action that submits a form, or leaves its step: that of the last primary button, or of the last one. */
function submission({ elements, leave }: VisibleForm): Schemas['RenderAction'] | undefined {
  const buttons = elements.flatMap((element) =>
    element.type === 'button' && !element.disabled && !element.onPress.action.startsWith('@')
      ? [element]
      : [],
  );
  const button = buttons.findLast(({ style }) => style === 'primary') ?? buttons.at(-1);
  return leave ?? button?.onPress;
}

export const connectStep: Step = { name: 'oauth', run: connect };
export const configureStep: Step = { name: 'configure', run: configure };
