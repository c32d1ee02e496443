/** The actions that pages embedded in a component send to it. */
import type { components } from '../../../../../generated/schema.d.ts';
import type { Session } from './components.ts';

/** Maximum length of an action in JSON. */
export const MAX_FRAME_ACTION_CHARACTERS = 65_536;

/**
 * Reads the action of an embedded page from the form of a block. Returns undefined without one, for a component without
 * embedded pages, and for built-in actions, which change the page or what is above it. The state of the component, which
 * visitors cannot read, cannot be bound to it.
 */
export function frameAction(
  form: URLSearchParams,
  { hasFrames }: Pick<Session, 'hasFrames'>,
): components['schemas']['ComponentAction'] | undefined {
  const text = form.get('frame-action') ?? '';
  if (hasFrames !== true || text.length > MAX_FRAME_ACTION_CHARACTERS) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isAction(value) && !value.action.startsWith('@') && !hasBinding(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isAction = (value: unknown): value is components['schemas']['ComponentAction'] =>
  typeof value === 'object' && value !== null && 'action' in value && typeof value.action === 'string';

/** Names are written in one way only, and quotes within texts are escaped. */
const hasBinding = (value: object): boolean => JSON.stringify(value).includes('"$state":');
