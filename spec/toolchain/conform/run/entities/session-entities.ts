import { textOrJson } from '../../../../../server/contract/json-values.ts';
import type { Parameter } from '../../../model/contract/contract.ts';
import { addressPointer } from '../../../model/plan/id-sources.ts';
import { anonymous } from '../../../model/plan/names.ts';
import type { Producer } from '../../../model/plan/resources.ts';
import type { Slot } from '../../../model/plan/slots.ts';
import type { SchemaSet } from '../../../model/schema/schema.ts';
import { type Event, succeeded } from '../event.ts';
import { pointed, valueAt } from '../resolve.ts';
import type { SessionHistory } from '../session-history.ts';
import type { Entity } from './entity.ts';

/** Returns whether the path of a text is that of its collection or further up, and so identifies no entity. */
export const selectsParent = (text: string): boolean => /^\s*\.{0,2}\s*$/.test(text);

/** Returns the entities that an event of a session created: at most one of each noun. */
export function createdEntities(session: SessionHistory, event: Event): Entity[] {
  const { operation, step } = event;
  if (!succeeded(event) || operation.method === 'GET') {
    return [];
  }
  const method = step.fault?.method;
  if (method !== undefined && method !== operation.method) {
    return [];
  }
  // If 201 is declared, too, 200 means that the resource existed (RFC 9110, 9.3.4).
  if (
    event.exchange.response?.status === 200 &&
    '200' in operation.responses &&
    '201' in operation.responses
  ) {
    return [];
  }
  // If an entity has several paths, the one that extends the path of its creation is used.
  const producers = session.context.resources
    .createdBy(operation)
    .sort((a, b) => Number(isIndirect(a)) - Number(isIndirect(b)));
  const created = new Map<string, Entity>();
  for (const producer of producers) {
    const { noun } = producer.slot;
    const entity = created.has(noun) ? undefined : createdEntity(session, producer, event);
    if (entity) {
      created.set(noun, entity);
    }
  }
  return [...created.values()];
}

const isIndirect = ({ because }: Producer) =>
  because === 'the schema of its response' || because === 'its name';

function createdEntity(
  session: SessionHistory,
  { slot, kind, from }: Producer,
  event: Event,
): Entity | undefined {
  if (kind === 'choose') {
    const name = parameterNameOf(session, event, slot);
    const text = event.path[name];
    const value = event.step.path[name];
    return text === undefined || value === undefined
      ? undefined
      : toEntity(session, event, { slot, value, text, isDiscovered: false });
  }
  for (const source of from) {
    if (!isOfSlot(event, source, slot)) {
      continue;
    }
    const text = textAt(session, event.n, source);
    // Another field, or the address, has the identifier if this one contradicts the parameter.
    if (text !== undefined && !selectsParent(text) && isIdentifierOf(session, slot, text)) {
      const value = { step: event.n, from: source };
      return toEntity(session, event, { slot, value, text, isDiscovered: false });
    }
  }
  return undefined;
}

/** Returns the first items of a list as discovered entities of the slot that the list produces. */
export function listedEntities(
  session: SessionHistory,
  { slot, from: pointers }: Producer,
  event: Event,
  maxItems = 3,
): Entity[] {
  const entities: Entity[] = [];
  for (let item = 0; item < maxItems; item += 1) {
    for (const pointer of pointers) {
      const from = pointer.replace('/0', `/${item}`);
      const text = textAt(session, event.n, from);
      if (text === undefined || !isOfSlot(event, from, slot) || !isIdentifierOf(session, slot, text)) {
        continue;
      }
      const value = { step: event.n, from };
      entities.push(toEntity(session, event, { slot, value, text, isDiscovered: true }));
      break;
    }
  }
  return entities;
}

/** Returns a value of a response as text; undefined if the response lacks it. */
function textAt(session: SessionHistory, step: number, from: string): string | undefined {
  try {
    const value = valueAt({ step, from }, session.earlier);
    return textOrJson(value);
  } catch {
    return undefined;
  }
}

/** Creates the entity that a value in the response of an event identifies. */
function toEntity(
  { context: { resources } }: SessionHistory,
  event: Event,
  identity: Pick<Entity, 'slot' | 'value' | 'text' | 'isDiscovered'>,
): Entity {
  const { slot, text } = identity;
  const owners = new Map(event.env);
  const pathSlots = resources.pathSlotsOf(event.operation);
  // What the request names in its body takes precedence over what the session had selected before.
  for (const { slot: named } of event.uses) {
    if (!pathSlots.some(({ slot: { noun } }) => noun === named.noun)) {
      owners.delete(named.noun);
    }
  }
  if (!pathSlots.some(({ slot: { noun } }) => noun === slot.noun)) {
    owners.delete(slot.noun);
  }
  const texts = new Map([...owners].map(([noun, owner]) => [noun, owner.text]));
  for (const {
    slot: { noun },
    name,
  } of pathSlots) {
    const pathText = event.path[name];
    if (pathText !== undefined) {
      texts.set(noun, pathText);
    }
  }
  texts.set(slot.noun, text);
  return {
    ...identity,
    sourceEvent: event.n,
    creationPath: event.target,
    address: addressOf(slot, texts),
    owners,
    uses: event.uses,
    exists: true,
    altered: false,
    changeCount: 0,
  };
}

/** Returns the path of a slot's entity; undefined if a value is missing. */
function addressOf(slot: Slot, texts: ReadonlyMap<string, string>): string | undefined {
  // By position, because owners may have other parameter names in this path than in their own.
  const values = [...slot.owners, slot].map(({ noun }) => texts.get(noun));
  if (values.includes(undefined)) {
    return undefined;
  }
  let index = 0;
  return slot.path.replaceAll(/\{[^{}]*\}/g, () => encodeURIComponent(values[index++] ?? ''));
}

/** Returns the name of a slot's parameter in the path of an event. */
const parameterNameOf = (
  { context: { resources } }: SessionHistory,
  { operation }: Event,
  { key, parameter }: Slot,
): string => resources.pathSlotsOf(operation).find(({ slot }) => slot.key === key)?.name ?? parameter.name;

/** Returns whether a text is a valid value of a slot's parameter. */
const isIdentifierOf = (
  { context: { schemas } }: SessionHistory,
  { parameter }: Slot,
  text: string,
): boolean => isValueOf(schemas, parameter, text);

/** Returns whether a text is a valid value of a parameter. */
export const isValueOf = (schemas: SchemaSet, { schema }: Parameter, text: string): boolean =>
  schemas.accepts(schema, text) || (/^-?\d+$/.test(text) && schemas.accepts(schema, Number(text)));

/** Returns whether the source of an identifier is that of a slot: a URL must match the path of its entities. */
function isOfSlot({ exchange: { response } }: Event, source: string, slot: Slot): boolean {
  if (source.startsWith('header:location')) {
    return matchesSlot(response?.headers.location, slot);
  }
  const pointer = addressPointer(source);
  if (pointer === undefined) {
    return true;
  }
  const address = pointed(response?.json, pointer);
  return typeof address === 'string' && matchesSlot(address, slot);
}

/** Returns whether a URL matches the path of a slot's entities. */
function matchesSlot(location: string | undefined, slot: Slot): boolean {
  if (location === undefined || !URL.canParse(location, 'http://server/')) {
    return false;
  }
  const { pathname } = new URL(location, 'http://server/');
  const parts = anonymous(slot.path).split('/');
  // The server may have a path prefix.
  const segments = pathname.split('/').slice(-parts.length + 1);
  return (
    segments.length === parts.length - 1 &&
    parts.slice(1).every((part, at) => part.includes('{}') || part === segments[at])
  );
}
